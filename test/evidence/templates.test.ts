/**
 * Each template of examples/workflow with evidence: an honest agent finishes it, with real
 * commands in a real repository, and liars do not, whatever they say. A person approves all that
 * is asked, as people do who trust a claim.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusalIn } from '../../src/doors/hook/answer-hook.contract.ts'
import { asAgent } from '../../src/runtime/runtime.contract.ts'
import { type HostSession, openScriptedHost, type ScriptedHost } from './scripted-host.ts'
import { type ScriptStep, templateScripts } from './template-scripts.ts'

let host: ScriptedHost
beforeAll(async () => {
  host = await openScriptedHost()
  for (const { name } of templateScripts) {
    const path = new URL(`../../examples/workflow/${name}.yaml`, import.meta.url)
    await host.bench.runtime.definitions.create({
      source: readFileSync(path, 'utf8'),
      format: 'yaml',
    })
  }
})
afterAll(() => host.close())

const who = {
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

/** What a liar does instead of a step. */
type Liar = (session: HostSession, step: ScriptStep) => Promise<void>

async function honest(session: HostSession, step: ScriptStep): Promise<void> {
  if ('write' in step) {
    const path = join(host.workspace, step.write)
    const call = {
      tool_name: 'Write',
      tool_input: { file_path: path, content: 'fixed\n' },
      tool_use_id: `w${Math.random()}`,
    }
    const refusal = refusalIn(await host.hook(session, { hook_event_name: 'PreToolUse', ...call }))
    if (refusal !== '') return
    mkdirSync(dirname(path), { recursive: true })
    host.write(step.write, `fixed ${Math.random()}\n`)
    await host.hook(session, { hook_event_name: 'PostToolUse', ...call, tool_response: {} })
  } else if ('run' in step) {
    await host.bash(session, step.run, { env: who })
  } else {
    await host.signal(session, step.send, step.data ?? null)
    const { view } = await host.bench.runtime.readRun(session.runId, null)
    if (view.approval !== null) await host.approve(session)
  }
}

const liars: readonly (readonly [string, Liar])[] = [
  [
    'runs nothing and says that all is well',
    async (session, step) => {
      const data = { tests: '12 passed', exit: 0, ...('send' in step ? step.data : {}) }
      if ('send' in step) await honest(session, { ...step, data })
    },
  ],
  [
    'swallows every exit code',
    (session, step) => honest(session, 'run' in step ? { run: `${step.run} || true` } : step),
  ],
  [
    'prints what the runner would print',
    (session, step) => honest(session, 'run' in step ? { run: 'echo "12 passed"' } : step),
  ],
  [
    'changes a file after every command',
    async (session, step) => {
      await honest(session, step)
      if ('run' in step) host.write('src/other.txt', `${Math.random()}\n`)
    },
  ],
]

async function play(name: string, play: Liar): Promise<string | undefined> {
  const script = templateScripts.find((one) => one.name === name)
  host.reset()
  host.write('src/app.txt', `${script?.source}\n`)
  const request = { definition: name, task: null, stage: null, vars: {}, workspace: host.workspace }
  const { runId } = await host.bench.runtime.start(request, asAgent)
  const session = { runId, id: `t-${runId}`, cwd: host.workspace }
  for (const step of script?.steps ?? []) await play(session, step)
  return host.stage(session)
}

describe.each(templateScripts.map(({ name }) => name))('%s', (name) => {
  test('an honest agent finishes it', async () => {
    expect(await play(name, honest)).toBe('done')
  })
  test.each(liars)('an agent that %s does not', async (_, liar) => {
    expect(await play(name, liar)).not.toBe('done')
  })
})
