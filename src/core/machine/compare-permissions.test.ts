import { describe, expect, test } from 'vitest'
import { build, fork, type StageParts } from './check-builder.contract.ts'
import { compareDefinitions, comparePermissions } from './compare-permissions.ts'
import type { Gate, Guard, Machine, Policy, PolicyRule, StageRule } from './machine.ts'

type Parts = { readonly stages?: object; readonly rule?: object; readonly run?: object }

const plain = { a: { on: { GO: 'b' } }, b: 'final' }

let made = 0

/** A machine of two stages, with parts of it replaced. */
function version({ stages = {}, rule = {}, run = {} }: Parts): Machine {
  made += 1
  const all = { ...plain, ...stages } as Record<string, StageParts | 'final'>
  const machine = build(all, { hash: `sha256:${made}`, ...(run as Partial<Machine>) })
  const a = machine.stages.a
  if (a === undefined) return machine
  const patched = { ...a, rule: { ...a.rule, ...(rule as Partial<StageRule>) } }
  return { ...machine, stages: { ...machine.stages, a: patched } }
}

function changesOf(before: Parts, after: Parts): readonly string[] {
  return comparePermissions(version(before), version(after)).map(
    ({ effect, stage, text }) => `${effect} ${stage ?? '-'}: ${text}`,
  )
}

function tools(allow: 'all' | readonly string[], deny: readonly string[] = []): Parts {
  return { rule: { tools: { allow, deny, among: null } } }
}

function go(way: object): Parts {
  return { stages: { a: { on: { GO: { to: 'b', ...way } } } } }
}

function evidence(command: string, isFresh = true): Guard {
  const rest = { exit: 0, testsMin: null, isFresh, ageMsMax: null, grade: 'host' } as const
  const requirement = { command, subject: null, ...rest }
  return { kind: 'evidence', name: command, requirement, origin: '/x' }
}

function gated(parts: Partial<Gate>): Parts {
  return { run: { stages: gatedStages(parts) } }
}

function gatedStages(parts: Partial<Gate>): Machine['stages'] {
  const { stages } = version(go({ hasGate: true }))
  const text = JSON.stringify(stages).replace('"message":""', `"message":"",${fieldsOf(parts)}`)
  return JSON.parse(text)
}

function fieldsOf(parts: object): string {
  return JSON.stringify({ ...parts, message: '' }).slice(1, -1)
}

function policy(parts: Partial<Policy>): Parts {
  return {
    run: { policy: { role: '', allow: [], ask: [], deny: [], otherwise: 'allow', ...parts } },
  }
}

const interrupt = { name: 'd', pattern: '*', target: 'a', handler: [], origin: '' } as const

function rule(capability: string, parts: Partial<PolicyRule> = {}): PolicyRule {
  return { capability, rate: null, budget: null, origin: '/x', ...parts }
}

/** Each row also holds backwards: what loosens one way tightens the other. */
const pairs: readonly (readonly [string, Parts, Parts, loosened: string, tightened: string])[] = [
  [
    'a tool',
    tools(['Read']),
    tools(['Read', 'Bash']),
    'permits `Bash`',
    'no longer permits `Bash`',
  ],
  ['every tool', tools(['Read']), tools('all'), 'permits every tool', 'limits the tools to a list'],
  [
    'a denied tool',
    tools('all', ['Bash']),
    tools('all'),
    'no longer denies `Bash`',
    'denies `Bash`',
  ],
  [
    'a wider command',
    { rule: { commands: ['git log'] } },
    { rule: { commands: ['git'] } },
    'permits the commands `git`',
    'no longer permits the commands `git`',
  ],
  [
    'any command',
    { rule: { commands: ['npm test'] } },
    { rule: { commands: null } },
    'permits any command',
    'limits the commands to a list',
  ],
  [
    'a higher limit',
    { rule: { callsMax: 5 } },
    { rule: { callsMax: 50 } },
    'raises the limit of calls from 5 to 50',
    'lowers the limit of calls from 50 to 5',
  ],
  [
    'a dropped limit',
    { rule: { filesMax: 3 } },
    {},
    'no longer limits changed files to 3',
    'limits changed files to 3',
  ],
  [
    'a protected file',
    { rule: { filesWritable: ['src/**', '!src/lock.ts'] } },
    { rule: { filesWritable: ['src/**'] } },
    'drops the exceptions `!src/lock.ts`',
    'no longer permits changes by `!src/lock.ts`',
  ],
  [
    'a denied program',
    { rule: { programsDenied: ['curl', 'ssh'] } },
    { rule: { programsDenied: ['ssh'] } },
    'can start the programs `curl`',
    'can no longer start the programs `curl`',
  ],
  [
    'a hidden variable',
    { rule: { envBlocked: ['TOKEN'] } },
    {},
    'no longer hides the variables `TOKEN`',
    'hides the variables `TOKEN`',
  ],
  [
    'a gate',
    go({ hasGate: true }),
    go({}),
    '`GO` → b no longer needs an approval',
    '`GO` → b needs an approval',
  ],
  [
    'a second person',
    gated({ quorum: { needed: 2 } }),
    gated({}),
    '`GO` → b needs 1 instead of 2 people to approve',
    '`GO` → b needs 2 instead of 1 people to approve',
  ],
  [
    'a signature',
    gated({ proof: 'passkey' }),
    gated({}),
    '`GO` → b no longer needs a signed approval',
    '`GO` → b needs a signed approval',
  ],
  [
    'evidence',
    go({ guards: [evidence('npm test')] }),
    go({}),
    '`GO` → b no longer requires evidence of `npm test`',
    '`GO` → b requires evidence of `npm test`',
  ],
  [
    'a condition',
    go({ guards: [['ok', 'eq', true]] }),
    go({}),
    '`GO` → b no longer requires `ok-eq`',
    '`GO` → b requires `ok-eq`',
  ],
  [
    'a way',
    { stages: { c: 'final' } },
    { stages: { c: 'final', a: { on: { GO: ['b', 'c'] } } } },
    '`GO` → c is a new way',
    '`GO` → c is removed',
  ],
]

describe('what loosens one way tightens the other', () => {
  test.each(pairs)('%s', (_, ...[strict, loose, loosened, tightened]) => {
    expect(changesOf(strict, loose)).toEqual([`loosens a: ${loosened}`])
    expect(changesOf(loose, strict)).toEqual([`tightens a: ${tightened}`])
  })
})

const ofRun: readonly (readonly [string, Parts, Parts, loosened: string])[] = [
  ['a policy', policy({}), {}, 'the policy is removed'],
  [
    'a deny rule',
    policy({ deny: [rule('bash')] }),
    policy({}),
    'the policy no longer denies `bash`',
  ],
  [
    'an ask rule',
    policy({ ask: [rule('write')] }),
    policy({}),
    'the policy no longer asks about `write`',
  ],
  [
    'the default',
    policy({ otherwise: 'deny' }),
    policy({}),
    'the policy allows what it does not name',
  ],
  ['only observed', policy({}), policy({ observe: 'own' }), 'the policy is recorded, not enforced'],
  [
    'signatures by a policy',
    policy({ proof: 'passkey' }),
    policy({}),
    'decisions no longer have to be signed, by the policy',
  ],
  [
    'isolation by a policy',
    policy({ minIsolation: 'full' }),
    policy({ minIsolation: 'none' }),
    'jobs may be isolated less, by the policy',
  ],
  [
    'a budget',
    { run: { limits: { microUsdMax: 2_000_000, callsMax: null } } },
    { run: { limits: { microUsdMax: 5_500_000, callsMax: null } } },
    'raises the limit of the cost of a run in dollars from 2 to 5.5',
  ],
  ['a path', {}, { run: { paths: { read: ['/etc'], write: [] } } }, 'file tools may read `/etc`'],
  ['isolation', { run: { minIsolation: 'full' } }, {}, 'jobs may be isolated less'],
  ['signatures', { run: { proof: 'passkey' } }, {}, 'decisions no longer have to be signed'],
  ['the end', { run: { holdsAtEnd: true } }, {}, 'calls are free after the end of a run'],
]

test.each(ofRun)('a rule of the whole run is compared: %s', (_, ...[strict, loose, text]) => {
  expect(changesOf(strict, loose)).toEqual([`loosens -: ${text}`])
  const [back, ...more] = changesOf(loose, strict)
  expect([back?.startsWith('tightens -: '), more]).toEqual([true, []])
})

test.each([
  [
    'a policy rule with another rate',
    policy({ allow: [rule('bash', { rate: { callsMax: 1, windowMs: 1 } })] }),
    policy({ allow: [rule('bash')] }),
    '-: the policy allows `bash` differently',
  ],
  [
    'evidence that may be stale',
    go({ guards: [evidence('npm test')] }),
    go({ guards: [evidence('npm test', false)] }),
    'a: `GO` → b requires something else by evidence of `npm test`',
  ],
  ['a new stage', {}, { stages: { n: { tools: ['Bash'] } } }, 'n: is a new stage, with `Bash`'],
  [
    'repeated failures',
    policy({ repeats: { holdAfter: 5 } }),
    policy({}),
    '-: the policy limits repeated failures differently',
  ],
  [
    'a new interrupt, which may lead to a stage that permits more',
    {},
    { run: { detours: [interrupt] } },
    '-: the interrupt `d` is new',
  ],
  [
    'values that a person may change',
    gated({}),
    gated({ editable: ['version'] }),
    'a: other values of `GO` → b can be changed by whoever approves',
  ],
  ['a removed stage', { stages: { n: {} } }, {}, 'n: is removed'],
  ['other values', {}, { run: { vars: { least: 3 } } }, '-: runs begin with other values'],
  ['another beginning', {}, { run: { initial: 'b' } }, '-: runs begin in `b`'],
])('what cannot be weighed is said to be unclear: %s', (_, ...[before, after, text]) => {
  expect(changesOf(before, after)).toEqual([`unclear ${text}`])
})

test('an interrupt that is gone loosens', () => {
  expect(changesOf({ run: { detours: [interrupt] } }, {})).toEqual([
    'loosens -: the interrupt `d` is removed or changed',
  ])
})

test('a fork that any branch ends is another way', () => {
  const all = { stages: { a: { on: { GO: fork({ one: ['b', 'b'] }, 'b') } } } }
  const [{ move }] = [fork({ one: ['b', 'b'] }, 'b') as { readonly move: object }]
  const any = { stages: { a: { on: { GO: { move: { ...move, join: 'any' } } } } } }
  expect(changesOf(all, any)[0]).toBe('loosens a: `GO` → forks one, then b is a new way')
})

test('a command that an entry covers already, names of conditions and texts change nothing', () => {
  expect(
    changesOf({ rule: { commands: ['git'] } }, { rule: { commands: ['git', 'git log'] } }),
  ).toEqual([])
  const named = { ...evidence('npm test'), name: 'tests' }
  expect(changesOf(go({ guards: [evidence('npm test')] }), go({ guards: [named] }))).toEqual([])
  expect(changesOf({}, { run: { prompt: 'Be careful.' } })).toEqual([])
})

test('what loosens comes first', () => {
  const before = { rule: { callsMax: 5 }, ...go({ hasGate: true }) }
  const after = { rule: { callsMax: 3 }, ...go({}), run: { vars: { x: 1 } } }
  expect(changesOf(before, after).map((one) => one.split(' ')[0])).toEqual([
    ...['loosens', 'unclear', 'tightens'],
  ])
})

test('definitions of several tasks are compared by name, and a new one is unclear', () => {
  const named = (name: string, parts: Parts): Machine => ({ ...version(parts), name })
  const [before, after] = [tools(['Read']), tools(['Read', 'Bash'])]
  const old = [named('one', before), named('two', before)]
  const now = [named('one', after), named('three', after)]
  expect(compareDefinitions(old, now).map(({ text }) => text)).toEqual([
    ...['permits `Bash`', 'the task `three` is new'],
  ])
  expect(compareDefinitions([named('old', before)], [named('new', before)])).toEqual([])
})
