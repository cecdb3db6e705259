/**
 * Fuzzed commands that Pawl allows are run for real, under strace and with stub programs: none
 * may start a program that is not on its list. The long runs are `scripts/shell-fuzz/main.ts`.
 */
import { afterAll, expect, test } from 'vitest'
import { lists } from '../../scripts/shell-fuzz/allow-lists.ts'
import { runFuzz } from '../../scripts/shell-fuzz/fuzz-loop.ts'
import type { Sandbox } from '../../scripts/shell-fuzz/trace.ts'
import {
  closeSandbox,
  openSandbox,
  startedIn,
  traceCommand,
  traceProblem,
  unlistedIn,
} from '../../scripts/shell-fuzz/trace.ts'

const runs = 500
const timeoutMs = 300_000

const problem = traceProblem()
if (problem !== null) console.warn(`the shell fuzzer does not run here: ${problem}`)
const sandbox: Sandbox | null = problem === null ? openSandbox() : null
afterAll(() => {
  if (sandbox !== null) closeSandbox(sandbox)
})

const hidden: readonly string[] = [
  'rm x',
  'ls; ./evil',
  'npm run x',
  'env rm',
  'cat names.txt | xargs env',
  'no-such-program',
  'echo $(curl x)',
  'bash -c "ls; id"',
  '/bin/ls',
]

test.skipIf(sandbox === null)('the sandbox sees every program that is on no list', async () => {
  for (const command of hidden) {
    const { started } = await traceCommand(sandbox as Sandbox, command)
    expect(unlistedIn(sandbox as Sandbox, started, lists.long), command).not.toEqual([])
  }
})

test.skipIf(sandbox === null)('the sandbox has nothing against listed programs', async () => {
  for (const command of ['npm test -- x', 'ls | cat', 'env -i ls', "echo 'rm x'; git status"]) {
    const { started } = await traceCommand(sandbox as Sandbox, command)
    expect(unlistedIn(sandbox as Sandbox, started, lists.long), command).toEqual([])
  }
})

test('programs are read from the output of strace', () => {
  const trace = [
    '12 execve("/x/bin/bash", ["/x/bin/bash", "-c", "ls \\"a\\""], 0x7ffe /* 3 vars */) = 0',
    '13 execve("/x/bin/ls", ["ls", "a, b]"], 0x55 /* 3 vars */ <unfinished ...>',
    '13 <... execve resumed>) = 0',
    '14 execve("./evil", ["./evil"], 0x55 /* 3 vars */) = -1 ENOENT (No such file or directory)',
    '15 +++ exited with 0 +++',
  ].join('\n')
  expect(startedIn(trace).map(({ words }) => words)).toEqual([
    ['/x/bin/bash', '-c', 'ls \\"a\\"'],
    ['ls', 'a, b]'],
    ['./evil'],
  ])
})

test.skipIf(sandbox === null)(
  `${runs} fuzzed commands that are allowed start only listed programs`,
  async () => {
    const found = await runFuzz({ sandbox: sandbox as Sandbox, seed: 2026, runs, workersCount: 2 })
    const { judged, denied, run, namingStrangers } = found
    console.log(
      `shell fuzz: ${judged} judged, ${denied} denied, ${run} run, ` +
        `${namingStrangers} of them name a program that is not listed`,
    )
    expect(found.violations).toEqual([])
    expect(run).toBe(runs)
    // A fuzzer whose commands never come near a stranger proves nothing.
    expect(namingStrangers).toBeGreaterThan(runs / 5)
  },
  timeoutMs,
)
