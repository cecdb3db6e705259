/**
 * A host that does what a script says: its hooks ask a real runtime, allowed commands really run
 * in a real git repository, and its reports say what happened. Only the model is missing.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reply } from '../../src/core/engine/types.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { refusalIn } from '../../src/doors/hook/answer-hook.contract.ts'
import { openHookAnswerer } from '../../src/doors/hook/answer-hook.ts'
import { asAgent, asPerson, openBench, startMs } from '../../src/runtime/runtime.contract.ts'

/** The tests pass when the source says `fixed`; what they print is what jest prints. */
const testScript = `
n=$(cat tests.txt)
said() {
  printf 'Test Suites: %s\\nTests:       %s\\n' "$1" "$2"
  printf 'Snapshots:   0 total\\nTime:        1 s\\n'
}
if [ "$n" = 0 ]; then said '0 total' '0 total'
elif grep -q fixed src/app.txt; then said '1 passed, 1 total' "$n passed, $n total"
else said '1 failed, 1 total' "$n failed, $n total"; exit 1
fi
`

const guards = {
  green: { evidence: 'npm test', exit: 0, tests_min: 1, fresh: true },
  recent: { evidence: 'npm test', exit: 0, within_seconds: 60 },
  red: { evidence: 'npm test', exit: 'nonzero', tests_min: 1, fresh: true },
  api: { evidence: 'npm test', exit: 0, folder: 'packages/api', fresh: true },
  ci: { evidence: 'npm test', exit: 0, env: { CI: '1' } },
  reported: { evidence: 'npm test', tests_min: 1, report: 'test-results/unit.xml', fresh: true },
  job: { evidence: 'npm test', exit: 0, grade: 'job' },
}

const definition = JSON.stringify({
  id: 'gate',
  initial: 'work',
  context: { failing: 3 },
  states: {
    work: {
      on: {
        ...Object.fromEntries(
          Object.keys(guards).map((guard) => [guard, { target: 'done', guard }]),
        ),
        ship: { target: 'done', guard: 'green', requires_approval: true },
        note: { target: 'work' },
      },
    },
    done: { type: 'final' },
  },
  guards,
})

export type ScriptedHost = Awaited<ReturnType<typeof openScriptedHost>>

/** A repository with a bug, a runtime and a host. */
export async function openScriptedHost() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-liars-')))
  const [workspace, bin] = [join(root, 'work'), join(root, 'bin')]
  for (const folder of [bin, join(workspace, 'src'), join(workspace, 'packages/api/src')]) {
    mkdirSync(folder, { recursive: true })
  }
  // `npm` as npm behaves: `npm test` runs the script of the folder it stands in.
  const npm = '#!/bin/sh\n[ "$1" = test ] || { echo "npm $*"; exit 0; }\nexec sh ./test.sh\n'
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
  const write = (path: string, text: string): void => writeFileSync(join(workspace, path), text)
  const reset = (): void => {
    // WHY by its tag: an honest agent commits its fix.
    git('reset', '-q', '--hard', 'begin')
    git('clean', '-qffdx')
    bench.pass(-waitedMs)
    waitedMs = 0
  }
  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false']
    execFileSync('git', [...who, ...args], { cwd: workspace, stdio: 'ignore' })
  }
  for (const folder of ['.', 'packages/api']) {
    write(`${folder}/test.sh`, testScript)
    write(`${folder}/tests.txt`, '2')
    write(`${folder}/src/app.txt`, 'bug\n')
  }
  write('.gitignore', 'cache/\n')
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'begin')
  git('tag', 'begin')
  const bench = openBench()
  await bench.runtime.definitions.create({ source: definition, format: 'json' })
  const { answer } = openHookAnswerer({
    runtime: bench.runtime,
    settings: {
      ...{ askWaitMs: 0, orderWaitMs: 0, stopsMax: 2 },
      ...{ otherSessions: 'refused', promptApprovals: false },
    },
    checkHooks: () => [],
    guard: { of: () => null, namedIn: () => null },
    report: () => undefined,
    log: () => undefined,
  })
  let count = 0
  // WHY: times of files are compared with it, and those are real.
  let reached: number = startMs
  let waitedMs = 0
  const wait = (ms: number): void => {
    bench.pass(ms)
    waitedMs += ms
  }
  const catchUp = (): void => {
    const now = Date.now()
    bench.pass(now - reached)
    reached = now
  }
  const hook = (session: HostSession, event: JsonObject) => {
    catchUp()
    const common = { session_id: session.id, cwd: session.cwd, prompt_id: 'p' }
    const payload = JSON.stringify({ ...common, ...event })
    return answer({ host: 'claude', payload, workspace, runId: session.runId })
  }
  const start = async (): Promise<HostSession> => {
    count += 1
    const request = { definition: 'gate', task: null, stage: null, vars: {}, workspace }
    const { runId } = await bench.runtime.start(request, asAgent)
    return { runId, id: `s${count}`, cwd: workspace }
  }
  const environment = { PATH: `${bin}:${process.env.PATH}`, HOME: root }
  return {
    ...{ root, workspace, bench, start, hook, write, git, reset, wait },
    /** A command in the background, which the host knows nothing of. */
    inBackground: (command: string) =>
      spawn('bash', ['-c', command], { cwd: workspace, env: environment, stdio: 'ignore' }),
    /** The host runs a command, if its hook lets it. */
    bash: async (session: HostSession, command: string, how: BashOptions = {}): Promise<string> => {
      count += 1
      const input = { command, ...how.input }
      const call = { tool_name: 'Bash', tool_input: input, tool_use_id: `t${count}` }
      const refusal = refusalIn(await hook(session, { hook_event_name: 'PreToolUse', ...call }))
      if (refusal !== '') return refusal
      const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
        ...{ cwd: session.cwd, env: { ...environment, ...how.env }, encoding: 'utf8' },
      })
      const told = how.report ?? reportOf(status ?? 1, stdout + stderr)
      await hook(session, { ...call, ...told })
      return ''
    },
    /** The agent sends a signal, with data. */
    signal: async (session: HostSession, name: string, data: JsonObject | null = null) => {
      const utterance = { kind: 'message', name, data, stage: null, goTo: null } as const
      const intent = { kind: 'say', utterance, branch: null } as const
      return (await bench.runtime.send(session.runId, intent, asAgent)).reply
    },
    /** A person approves what is pending. */
    approve: async (session: HostSession): Promise<Reply> => {
      const { view } = await bench.runtime.readRun(session.runId, null)
      const yes = { granted: true, note: '', hash: null, edits: null }
      return (await bench.runtime.resolve(view.approval?.id ?? '', yes, asPerson)).reply
    },
    stage: async (session: HostSession) => (await bench.runtime.readHead(session.runId))?.stage,
    close: async (): Promise<void> => {
      await bench.runtime.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export type HostSession = { readonly runId: string; readonly id: string; cwd: string }

type BashOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** Further fields of the tool's input. */
  readonly input?: JsonObject
  /** What the hook reports instead of what happened. */
  readonly report?: JsonObject
}

/** As Claude Code reports a command. */
export function reportOf(exit: number, output: string): { [key: string]: Json } {
  if (exit !== 0) {
    return { hook_event_name: 'PostToolUseFailure', error: `Exit code ${exit}\n${output}` }
  }
  const response = { stdout: output, stderr: '', interrupted: false }
  return { hook_event_name: 'PostToolUse', tool_response: response }
}
