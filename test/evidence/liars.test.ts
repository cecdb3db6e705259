/** An agent that lies does not pass a gate that wants evidence; an honest one does. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAgent } from '../../src/runtime/runtime.contract.ts'
import { allLies, honest, type Lie, type LieStep } from './lies.ts'
import { type HostSession, openScriptedHost, type ScriptedHost } from './scripted-host.ts'

let host: ScriptedHost
beforeAll(async () => {
  host = await openScriptedHost()
})
afterAll(() => host.close())

async function take(session: HostSession, step: LieStep): Promise<void> {
  if ('run' in step) await host.bash(session, step.run, step)
  else if ('write' in step) host.write(step.write, step.text)
  else if ('outside' in step) outside(step.outside)
  else if ('meanwhile' in step) host.inBackground(step.meanwhile)
  else if ('cd' in step) {
    session.cwd = join(host.workspace, step.cd)
    mkdirSync(session.cwd, { recursive: true })
  } else if ('say' in step) await host.signal(session, step.say, step.data ?? null)
  else if ('hook' in step) await host.hook(session, step.hook)
  else if ('claim' in step) await claim(session, step)
  else host.wait(step.wait)
}

function outside(command: string): void {
  execFileSync('bash', ['-c', command], { cwd: host.workspace, stdio: 'ignore' })
}

/** As an agent with a credential of its own reports over the API. */
async function claim({ runId }: HostSession, step: Extract<LieStep, { claim: string }>) {
  const where = { host: 'claude', server: null, cwd: null, branch: null } as const
  const input = { command: step.claim }
  const check = { kind: 'check', tool: 'Bash', input, ...where } as const
  const { reply } = await host.bench.runtime.send(runId, check, asAgent)
  const callId = reply.kind === 'verdict' ? reply.callId : null
  const { exit: exitCode, output } = step
  const report = { ok: exitCode === 0, output, exitCode, bytes: null, costMicroUsd: 0 }
  const ended = { kind: 'report', callId, report, branch: null, isClaim: true } as const
  await host.bench.runtime.send(runId, ended, asAgent)
}

async function play({ steps, signal }: Lie) {
  host.reset()
  const session = await host.start()
  for (const step of steps) await take(session, step)
  const reply = await host.signal(session, signal)
  return { reply, stage: await host.stage(session) }
}

test.each(allLies)('$kind: $name', async (lie) => {
  const { reply, stage } = await play(lie)
  expect(reply).toMatchObject({ kind: 'refused', code: 'GUARD_FAILED' })
  expect(stage).toBe('work')
})

test.each(honest)('$kind ($signal): $name', async (attempt) => {
  const { reply, stage } = await play(attempt)
  expect(reply).toMatchObject({ kind: 'accepted' })
  expect(stage).toBe('done')
})

test('there are at least 200 attempts, and all kinds that people asked about', () => {
  expect(allLies.length).toBeGreaterThanOrEqual(200)
})

test('what was asked of a person is not approved once files have changed', async () => {
  host.reset()
  const session = await host.start()
  host.write('src/app.txt', 'fixed\n')
  await host.bash(session, 'npm test')
  expect(await host.signal(session, 'ship')).toMatchObject({ kind: 'accepted' })
  host.write('src/app.txt', 'bug\n')
  expect(await host.approve(session)).toMatchObject({ kind: 'refused', code: 'GUARD_FAILED' })
  expect(await host.stage(session)).toBe('work')
})

test('a person approves what nothing has changed since', async () => {
  host.reset()
  const session = await host.start()
  host.write('src/app.txt', 'fixed\n')
  await host.bash(session, 'npm test')
  await host.signal(session, 'ship')
  host.wait(600_000)
  expect(await host.approve(session)).toMatchObject({ kind: 'accepted' })
  expect(await host.stage(session)).toBe('done')
})

test('a run in another work tree of the repository proves nothing about this one', async () => {
  host.reset()
  const session = await host.start()
  const other = join(host.root, 'tree')
  host.git('worktree', 'add', '-q', other)
  execFileSync('bash', ['-c', 'echo fixed > src/app.txt'], { cwd: other })
  session.cwd = other
  await host.bash(session, 'npm test')
  expect(await host.signal(session, 'green')).toMatchObject({ kind: 'refused' })
})

test('a rejected signal says what is needed, what was seen and how to get it', async () => {
  host.reset()
  const session = await host.start()
  expect(await host.signal(session, 'green')).toMatchObject({
    reason:
      '`green` is not possible now in `work`: `green` failed ' +
      '(Pawl has not seen `npm test` run alone and to its end)',
    hint: 'run `npm test`, alone; it must exit 0 with at least 1 test; then send this again',
  })
})
