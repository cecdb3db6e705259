/** `pawl convert --from`: files of other products, with their comments, and nothing overwritten. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { readSource } from '../../core/source/read-source.ts'
import { type Node, plainValue } from '../../core/source/source.ts'
import { folderOf, runIn } from './fake-io.contract.ts'

const convert = (folder: string, ...args: string[]) => runIn(folder, ['convert', '--from', ...args])

async function report(folder: string, ...args: string[]) {
  const { code, out, err } = await convert(folder, ...args, '--json')
  return { code, err, files: JSON.parse(out).files }
}

const review = {
  id: 'review',
  initial: 'reading',
  states: {
    reading: {
      allowed_tools: ['Read'],
      on: { DONE: { target: 'complete', requires_approval: true } },
    },
    complete: { type: 'final' },
  },
}
const gate = (name: string) => ({
  id: 'proc_01',
  name,
  initial: 'a',
  states: { a: { question: 'Ready?', answers: { yes: { next: null, action: 'complete' } } } },
})
const task = {
  type: 'steps',
  id: 'refund',
  steps: [{ id: 'A', goal: 'Go', inputs: [{ name: 'a' }] }],
}

describe('what is kept', () => {
  const yaml = '# why it is so\nid: review # its name\ninitial: a\nstates:\n  a: { type: final }\n'

  test('a file that works as it is stays as it is, to the letter', async () => {
    const folder = folderOf({ 'flows/review.yaml': yaml })
    const { code, out } = await convert(folder, 'statewright', 'flows', '--out', 'new')
    expect(code).toBe(0)
    expect(out).toContain('the whole file, to the letter: `review` (workflow, 1 stage)')
    expect(readFileSync(join(folder, 'new/review.yaml'), 'utf8')).toBe(yaml)
  })

  test('without a folder to write to, nothing is written', async () => {
    const folder = folderOf({ 'review.yaml': yaml })
    const { code, err } = await convert(folder, 'statewright', 'review.yaml')
    expect(code).toBe(0)
    expect(err).toContain('`--out FOLDER` writes them')
  })

  test('folders inside a folder are kept', async () => {
    const folder = folderOf({ 'flows/a/b/review.yaml': yaml, 'flows/c.yaml': yaml })
    await convert(folder, 'statewright', 'flows', '--out', 'new')
    expect(existsSync(join(folder, 'new/a/b/review.yaml'))).toBe(true)
    expect(existsSync(join(folder, 'new/c.yaml'))).toBe(true)
  })
})

describe('what is taken out of its shell', () => {
  test('a template of statewright: the definition and its comments; servers are said', async () => {
    const text = `// the team's own
{
  "name": "shown in the console",
  "definition": {
    // how it begins
    "id": "review", "initial": "a",
    "states": { "a": { "type": "final" } }
  },
  "upstream_servers": [{ "name": "github" }]
}
`
    const folder = folderOf({ 't.jsonc': text })
    const { files } = await report(folder, 'statewright', 't.jsonc', '--out', 'new')
    expect(files[0].lost.map((one: { pointer: string }) => one.pointer)).toEqual([
      ...['/name', '/upstream_servers'],
    ])
    const written = readFileSync(join(folder, 'new/t.jsonc'), 'utf8')
    expect(written).toContain('  // how it begins\n')
    const { root } = readSource(written, 'json')
    expect(compileDefinition(root as Node).machines[0]?.name).toBe('review')
  })

  test('a list becomes a file for each, also in YAML, with the comments above each', async () => {
    const text = `items:
  # the first
  - name: one
    initial: a
    states:
      a:
        question: Ready? # at all
        answers: { yes: { next: null, action: complete } }
  # the second
  - name: two
    initial: a
    states:
      a: { question: Sure?, answers: {} }
`
    const folder = folderOf({ 'all.yaml': text, 'more.json': [gate('three'), gate('four')] })
    const names = ['one.yaml', 'two.yaml', 'three.json', 'four.json']
    const { code, files } = await report(
      folder,
      'cloudclawer',
      'all.yaml',
      'more.json',
      '--out',
      'n',
    )
    expect(code).toBe(0)
    expect(files.map((one: { to: string }) => one.to)).toEqual(names)
    const first = readFileSync(join(folder, 'n/one.yaml'), 'utf8')
    expect(first).toMatch(/^# the first\nname: one\ninitial: a\nstates:\n {2}a:\n {4}question/)
    expect(first).toContain('# at all')
    for (const name of names) {
      const { root } = readSource(readFileSync(join(folder, 'n', name), 'utf8'))
      expect(compileDefinition(root as Node).machines, name).toHaveLength(1)
    }
  })

  test('tools of syllable: what is no step workflow is left out, and said', async () => {
    const tools = {
      items: [
        { id: 7, name: 'Refund', definition: { type: 'context', context: { task } } },
        { id: 8, name: 'Http', definition: { type: 'endpoint', endpoint: { url: 'x' } } },
      ],
    }
    const folder = folderOf({ 'tools.json': tools })
    const { code, files } = await report(folder, 'syllable', 'tools.json', '--out', 'new')
    expect(code).toBe(0)
    expect(files).toHaveLength(1)
    expect(files[0]).toMatchObject({ state: 'written', kept: '`refund` (steps, 1 stage)' })
    const what = files[0].lost.map((one: { pointer: string }) => one.pointer)
    expect(what).toEqual(['/items/0/id', '/items/0/name', '/items/1/definition'])
  })
})

test('what works differently is said: approvals, tasks of other kinds, autoPopulate', async () => {
  const call = { action: 'call', name: 't', autoPopulate: true }
  const steps = [{ id: 'A', goal: 'g', on: { enter: [call] } }]
  const tasks = [
    { ...task, steps },
    { type: 'event', id: 'e' },
  ]
  const folder = folderOf({
    'r.json': review,
    't.json': { type: 'context', context: { task: tasks } },
  })
  const workflow = await report(folder, 'statewright', 'r.json')
  expect(workflow.files[0].changed[0]).toMatchObject({
    pointer: '/states/reading/on/DONE/requires_approval',
    effect: expect.stringContaining('approval_mode'),
  })
  const form = await report(folder, 'syllable', 't.json')
  expect(form.files[0].lost).toMatchObject([{ pointer: '/context/task/1' }])
  expect(form.files[0].changed).toMatchObject([{ what: '`autoPopulate` has no effect' }])
})

describe('policies of kruxos', () => {
  test('tiers become lists, reasons and comments stay', async () => {
    const text = `# for the build agents
agent: builder
defaults: { tier: blocked }
capabilities:
  # jobs
  "process.*": { tier: notify }
  process.kill:
    tier: approval_required
    reason: someone may wait for it
    rate_limit: { max: 10, window: 1h, on_exceed: blocked }
  "filesystem.*": { tier: autonomous }
  filesystem.delete: { tier: blocked }
`
    const folder = folderOf({ 'policy.yaml': text })
    const { files } = await report(folder, 'kruxos', 'policy.yaml', '--out', '.pawl')
    expect(readFileSync(join(folder, '.pawl/policy.yaml'), 'utf8')).toBe(`# for the build agents
role: "builder"
deny:
  - capability: "mcp:kruxos:filesystem__delete"
ask:
  # someone may wait for it
  - capability: "process_kill"
    rate_limit: { max_calls: 10, window_seconds: 3600 }
allow:
  # jobs
  - capability: "process_*"
  - capability: "mcp:kruxos:filesystem__*"
default: deny
`)
    expect(files[0].lost).toMatchObject([{ what: '`on_exceed` is left out' }])
    expect(files[0].changed).toMatchObject([{ what: '`process.*` is allowed, and recorded' }])
  })

  test('comments beside and inside rules are named as lost', async () => {
    const text = `default_tier: blocked
rules:
  - capability: process.kill # ask Ann
    # only at night
    tier: notify
    conditions: { path_prefix: "/w # no comment" }
`
    const folder = folderOf({ 'p.yaml': text })
    const { files } = await report(folder, 'kruxos', 'p.yaml', '--out', 'new')
    const lost = files[0].lost.map((one: { what: string }) => one.what)
    expect(lost).toContain('2 comments beside or inside rules: ask Ann; only at night')
    expect(files[0].changed).toEqual([])
  })

  test('what cannot be expressed becomes stricter, never looser, and is said', async () => {
    const text = `default_tier: approval_required
rules:
  - { capability: filesystem.write, tier: autonomous, conditions: { path_prefix: /w } }
  - { capability: git.push, tier: autonomous }
  - { capability: git.push, tier: blocked }
  - { capability: "email.*", tier: blocked }
  - { capability: email.read, tier: autonomous }
  - { capability: slack.send, tier: autonomous, rate_limit: { max: 3, window: month } }
  - { capability: state.get, tier: whatever }
`
    const folder = folderOf({ 'p.yml': text })
    const { files } = await report(folder, 'kruxos', 'p.yml', '--out', 'new')
    const written = readFileSync(join(folder, 'new/p.yml'), 'utf8')
    const { root } = readSource(written, 'yaml')
    expect(plainValue(root as Node)).toEqual({
      role: 'agent',
      deny: ['git__push', 'email__*', 'state__get'].map((one) => ({
        capability: `mcp:kruxos:${one}`,
      })),
      ask: ['filesystem__write', 'slack__send'].map((one) => ({ capability: `mcp:kruxos:${one}` })),
      allow: [{ capability: 'mcp:kruxos:email__read' }],
      default: 'deny',
    })
    expect(files[0].lost).toHaveLength(6)
  })

  test('a file without a policy is told that calls need none', async () => {
    const folder = folderOf({ 'x.json': { hello: 1 } })
    const { code, out } = await convert(folder, 'kruxos', 'x.json')
    expect(code).toBe(1)
    expect(out).toContain('process capabilities need no file')
  })
})

describe('nothing is overwritten, and nothing leaves the folder', () => {
  test('a file that exists stays, unless forced', async () => {
    const folder = folderOf({ 'r.json': review, 'new/r.json': 'mine' })
    const { code, out } = await convert(folder, 'statewright', 'r.json', '--out', 'new')
    expect(code).toBe(1)
    expect(out).toContain('the file exists; `--force` writes over it')
    expect(readFileSync(join(folder, 'new/r.json'), 'utf8')).toBe('mine')
    expect((await convert(folder, 'statewright', 'r.json', '--out', 'new', '--force')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(folder, 'new/r.json'), 'utf8'))).toEqual(review)
  })

  test('a link is never written through, not even when forced', async () => {
    const folder = folderOf({
      'flows/sub/r.json': review,
      'flows/r.json': review,
      'kept.json': 'mine',
    })
    mkdirSync(join(folder, 'new'))
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'kept.json'), join(folder, 'new/r.json'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'new/sub'))
    const { code } = await convert(folder, 'statewright', 'flows', '--out', 'new', '--force')
    expect(code).toBe(1)
    expect(readFileSync(join(folder, 'kept.json'), 'utf8')).toBe('mine')
    expect(existsSync(join(folder, 'elsewhere/r.json'))).toBe(false)
  })

  test('a link that leads out of the folder is not read', async () => {
    const folder = folderOf({ 'flows/r.json': review, 'secret.json': review })
    symlinkSync(join(folder, 'secret.json'), join(folder, 'flows/linked.json'))
    const { code, files } = await report(folder, 'statewright', 'flows', '--out', 'new')
    expect(code).toBe(0)
    expect(files[0]).toMatchObject({ state: 'skipped', why: 'a link that leads out of the folder' })
    expect(existsSync(join(folder, 'new/linked.json'))).toBe(false)
  })

  test('names cannot leave the folder, and two of one name do not collide', async () => {
    const list = [gate('one'), { ...gate('one') }, gate('../up')]
    const folder = folderOf({ 'all.json': list })
    const { files } = await report(folder, 'cloudclawer', 'all.json', '--out', 'in/new')
    expect(files.map((one: { state: string }) => one.state)).toEqual([
      'written',
      'failed',
      'failed',
    ])
    expect(existsSync(join(folder, 'in/up.json'))).toBe(false)
  })
})

describe('bad input', () => {
  test.each([
    [['nothing'], 2, '--from'],
    [['statewright'], 2, 'name the files'],
    [['statewright', 'missing.json'], 2, 'missing.json'],
    [['statewright', 'r.json', '--to', 'steps'], 2, 'exclude each other'],
    [['statewright', 'r.json', '--lossy'], 2, '--lossy'],
  ] as const)('%j', async (args, code, words) => {
    const folder = folderOf({ 'r.json': review })
    const said = await convert(folder, ...args)
    expect(said.code).toBe(code)
    expect(said.err).toContain(words)
  })

  test('a file with errors is not written; one that cannot be read is said', async () => {
    const broken = { ...review, initial: 'nowhere' }
    const folder = folderOf({
      'f/bad.json': broken,
      'f/torn.json': '{ "id": ',
      'f/good.json': review,
    })
    writeFileSync(join(folder, 'f/noise.json'), new Uint8Array([0xff, 0xfe, 0x00]))
    const { code, files } = await report(folder, 'statewright', 'f', '--out', 'new')
    expect(code).toBe(1)
    const states = Object.fromEntries(
      files.map((one: { from: string; state: string }) => [one.from, one.state]),
    )
    expect(states).toEqual({
      'f/bad.json': 'failed',
      'f/good.json': 'written',
      'f/noise.json': 'skipped',
      'f/torn.json': 'failed',
    })
    expect(existsSync(join(folder, 'new/bad.json'))).toBe(false)
  })

  test('files of a folder that are something else are left out', async () => {
    const folder = folderOf({ 'f/package.json': { name: 'x', version: '1' }, 'f/r.json': review })
    const { code, files } = await report(folder, 'statewright', 'f')
    expect(code).toBe(0)
    expect(files[0]).toMatchObject({ from: 'f/package.json', state: 'skipped' })
  })
})
