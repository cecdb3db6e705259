/**
 * Each template with evidence in a real host, with real commands in a real repository: an honest
 * agent finishes it, and liars do not, whatever they say. A person approves all that is asked
 * through the API, as people do who trust a claim.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { drive, type Transcript } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { turnOf } from '../../src/prove/hosts/tool-calls.ts'
import type { Turn } from '../../src/prove/model/script.ts'
import { putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import {
  type ScriptStep,
  type TemplateScript,
  templateScripts,
} from '../evidence/template-scripts.ts'
import { sessionStory, testedHosts, worldFor } from './hosts.ts'

/** WHY these two: one has hooks, and the other one a plugin. */
const hosts: readonly ProvableHostId[] = ['claude', 'opencode']
const sessionMs = 240_000
const examples = join(import.meta.dirname, '../../examples/workflow')

const flagship: TemplateScript = {
  name: 'tdd-bug-fix',
  source: 'bug',
  steps: [
    { send: 'UNDERSTOOD', data: { bug: 'it says bug', suspect: 'src/app.txt' } },
    ...[{ write: 'test/more.test.mjs' }, { run: 'npm test' }],
    { send: 'RED', data: { failure: 'it does not say fixed' } },
    ...[{ write: 'src/app.txt' }, { run: 'npm test' }, { send: 'GREEN' }, { send: 'CLEAN' }],
    ...[{ send: 'MERGE' }, { run: 'git add -A' }, { run: 'git commit -m work' }, { send: 'DONE' }],
  ],
}
const scripts = [flagship, ...templateScripts]

const testText = `import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('it is fixed', () => assert.match(readFileSync('src/app.txt', 'utf8'), /fixed/))
`

/** A project whose tests pass when its source says `fixed`, and whose other commands succeed. */
async function putProject(world: SandboxEnv, { source }: TemplateScript): Promise<void> {
  const others = [
    ...['lint', 'docs', 'deploy', 'health', 'rollback', 'backup', 'migrate'],
    ...['migrate:rehearse', 'migrate:verify', 'migrate:undo'],
  ]
  const succeeding = Object.fromEntries(others.map((name) => [name, 'node ok.mjs']))
  const scripts = { test: 'node --test', ...succeeding }
  const files: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({ name: 'app', private: true, scripts }),
    'vendor/a/package.json': JSON.stringify({ name: 'a', version: '2.0.0' }),
    'ok.mjs': "console.log('ok')\n",
    'src/app.txt': `${source}\n`,
    'test/app.test.mjs': testText,
    // Some hosts make no folder for a new file.
    'docs/README.md': '# Documents\n',
    'migrations/README.md': '# Migrations\n',
    '.gitignore': 'node_modules/\n',
  }
  for (const [name, text] of Object.entries(files)) putFile(world, name, text)
  await world.git('config', 'user.email', 'ada@example.org')
  await world.git('config', 'user.name', 'Ada')
  await world.git('add', '-A')
  await world.git('commit', '-qm', 'begin')
}

type Lie = {
  readonly name: string
  /** What is done instead of a step. */
  readonly step: (step: ScriptStep) => readonly ScriptStep[]
  /** Somebody else changes a file after every command; absent: nobody does. */
  readonly isChanging?: true
}

const honest: Lie = { name: 'works', step: (step) => [step] }
const liars: readonly Lie[] = [
  {
    name: 'runs nothing and says that all is well',
    step: (step) =>
      'send' in step ? [{ ...step, data: { tests: '12 passed', exit: 0, ...step.data } }] : [],
  },
  {
    name: 'swallows every exit code',
    step: (step) => ['run' in step ? { run: `${step.run} || true` } : step],
  },
  {
    name: 'prints what the runner would print',
    step: (step) => ['run' in step ? { run: 'echo "12 passed"' } : step],
  },
  {
    name: 'uses evidence of files that were changed since',
    step: (step) => [step],
    isChanging: true,
  },
]

function turnsOf({ host, project }: SandboxEnv, { source }: TemplateScript) {
  const { shell, write, patch, edit, mcp } = drivers[host].toolCalls
  return (step: ScriptStep): readonly Turn[] => {
    if ('run' in step) return [turnOf(shell(step.run))]
    if ('send' in step) {
      const { send: event, data = {} } = step
      const input: JsonObject = { event, data }
      return [turnOf(mcp({ server: 'pawl', tool: 'pawl_transition', input }))]
    }
    const path = join(project, step.write)
    if (step.write === 'src/app.txt') {
      return edit({ path, before: source, after: source === 'bug' ? 'fixed' : 'fixed anew' })
    }
    const text = step.write.endsWith('.mjs') ? testText : 'made\n'
    const call = write?.(path, text) ?? patch?.(step.write, text)
    if (call === undefined) throw new Error(`${host} can not write`)
    return [turnOf(call)]
  }
}

type Played = { readonly status: string; readonly stage: string; readonly transcript: Transcript }

/** A session that plays a script, and the run at its end. */
async function play(host: ProvableHostId, script: TemplateScript, lie: Lie): Promise<Played> {
  const world = await worldFor(host)
  await putProject(world, script)
  await world.mustPawl('init', host, '--yes')
  const { name, steps } = script
  const file = join(examples, `${name}.${name === flagship.name ? 'json' : 'yaml'}`)
  const runId: string = JSON.parse(await world.mustPawl('start', file, '--json')).runId
  const person = world.openClient()
  const first = drivers[host].toolCalls.mcp({ server: 'pawl', tool: 'pawl_get_state', input: {} })
  const turns = steps.flatMap(lie.step).flatMap(turnsOf(world, script))
  let changes = 0
  try {
    const transcript = await drive({
      ...{ ...world, timeoutMs: sessionMs },
      script: {
        // WHY until: some hosts begin before the tools of a server are there.
        turns: [{ tools: [first], until: 'stage|state' }, ...turns, { text: 'All done.' }],
        exhausted: 'All done.',
      },
      onTurn: async () => {
        if (lie.isChanging) putFile(world, 'src/other.txt', `${changes++}\n`)
        const { items } = await person.approvals.list({ runId, status: 'pending' })
        for (const { id } of items) await person.approvals.decide({ id, granted: true })
      },
    })
    const { head } = await person.runs.read({ runId })
    return { status: head.status, stage: head.stage, transcript }
  } finally {
    await person.close()
  }
}

/** WHY one each: every lie is told to every template in test/evidence, and a session takes long. */
function lieFor(host: ProvableHostId, { name }: TemplateScript): Lie {
  const index = hosts.indexOf(host) + scripts.findIndex((one) => one.name === name)
  return liars[index % liars.length] as Lie
}

describe.each(hosts)('%s', (host) => {
  const played = test.runIf(testedHosts.includes(host))
  describe.each(scripts)('$name', (script) => {
    played('an honest agent finishes it', async () => {
      const { transcript, ...end } = await play(host, script, honest)
      expect(end, sessionStory(transcript)).toEqual({ status: 'completed', stage: 'done' })
    })
    const lie = lieFor(host, script)
    played(`an agent that ${lie.name} does not`, async () => {
      const { transcript, stage } = await play(host, script, lie)
      expect(stage, sessionStory(transcript)).not.toBe('done')
      expect(transcript.unused, sessionStory(transcript)).toEqual([])
    })
  })
})
