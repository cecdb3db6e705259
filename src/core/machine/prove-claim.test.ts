import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { build, fork, type StageParts } from './check-builder.contract.ts'
import { readClaim } from './claim.ts'
import type { Guard, Machine, Route } from './machine.ts'
import { proveClaim } from './prove-claim.ts'
import { traceNeeds, traceText } from './trace-text.ts'

function evidence(name: string, parts: Partial<{ exit: number; grade: 'claimed' | 'host' }> = {}) {
  const requirement = {
    ...{ command: 'npm test', subject: null, exit: 0, testsMin: null, isFresh: true },
    ...{ ageMsMax: null, grade: 'host' as const },
    ...parts,
  }
  return { kind: 'evidence', name, requirement, origin: `/guards/${name}` } satisfies Guard
}

function answer(machine: Machine, text: string): string[] {
  const claim = readClaim(text)
  if (claim === null) throw new Error(`not a claim: ${text}`)
  const { verdict, path } = proveClaim(machine, claim)
  return path.length === 0 ? [verdict] : [verdict, traceText(machine.initial, path)]
}

const ship = 'no path to done without approval SHIP'
const green = 'no path to done without evidence green'

const gated = build({
  work: { on: { READY: 'review', STOP: 'dropped' } },
  review: { on: { SHIP: { to: 'done', hasGate: true }, BACK: 'work' } },
  dropped: { final: 'failed' },
  done: 'final',
})
const withReview = (parts: StageParts): Machine =>
  build({ work: { on: { READY: 'review' } }, review: parts, audit: { on: {} }, done: 'final' })

const cases: readonly [title: string, machine: Machine, claim: string, answer: string[]][] = [
  ['one gate in front of the end', gated, ship, ['proved']],
  ['any approval', gated, 'no path to done without approval', ['proved']],
  ['every success', gated, 'no path to completed without approval SHIP', ['proved']],
  [
    'an approval of another event',
    gated,
    'no path to done without approval READY',
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'a stage before the gate',
    gated,
    'no path to review without approval SHIP',
    ['disproved', 'work → READY → review'],
  ],
  ['where a run begins', gated, 'no path to work without approval SHIP', ['disproved']],
  ['a stage that does not exist', gated, 'no path to dne without approval SHIP', ['invalid']],
  [
    'a second way without the gate',
    withReview({
      on: { SHIP: [{ to: 'done', hasGate: true, guards: [['a', 'exists']] }, 'done'] },
    }),
    ship,
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'an unknown event',
    withReview({ on: { SHIP: { to: 'done', hasGate: true } }, fallback: 'done' }),
    ship,
    ['disproved', 'work → READY → review → (any other signal) → done'],
  ],
  [
    'a stage that a submission may name',
    withReview({ on: { SHIP: { to: 'done', hasGate: true } }, trigger: { canName: true } }),
    ship,
    ['disproved', 'work → READY → review → SHIP (names the stage) → done'],
  ],
  [
    'a second way that an earlier one takes whenever it could',
    withReview({
      on: { SHIP: [{ to: 'done', hasGate: true }, 'done'] },
    }),
    ship,
    ['proved'],
  ],
  [
    'a second way with more conditions than the first',
    withReview({
      on: {
        SHIP: [
          { to: 'done', hasGate: true, guards: [['n', 'gte', 3]] },
          {
            to: 'done',
            guards: [
              ['n', 'eq', 5],
              ['a', 'exists'],
            ],
          },
        ],
      },
    }),
    ship,
    ['proved'],
  ],
  [
    'a second way for values that the first leaves',
    withReview({
      on: {
        SHIP: [
          { to: 'done', hasGate: true, guards: [['n', 'gt', 3]] },
          { to: 'done', guards: [['n', 'gte', 3]] },
        ],
      },
    }),
    ship,
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'a form that ends only after what its last route wants was seen',
    withReview({
      on: { SHIP: { to: 'done', guards: [evidence('green'), ['a', 'exists']] } },
      trigger: { otherwise: 'complete' },
    }),
    'no path to completed without evidence green',
    ['proved'],
  ],
  [
    'a form that ends when no condition holds',
    withReview({
      on: { SHIP: { to: 'audit', guards: [['a', 'exists']] } },
      trigger: { otherwise: 'complete' },
    }),
    'no path to completed without evidence green',
    ['disproved', 'work → READY → review → SHIP → end'],
  ],
  [
    'an interrupt that leads on',
    build(
      {
        work: { on: { READY: { to: 'done', hasGate: true } } },
        audit: { on: { FINE: '$return', SKIP: 'done' } },
        done: 'final',
      },
      { detours: [{ name: 'db', pattern: '*', target: 'audit', handler: ['audit'], origin: '' }] },
    ),
    'no path to done without approval READY',
    ['disproved', 'work → (interrupt db) → audit → SKIP → done'],
  ],
  [
    'an interrupt that only returns',
    build(
      {
        work: { on: { READY: { to: 'done', hasGate: true } } },
        audit: { on: { FINE: '$return' } },
        done: 'final',
      },
      { detours: [{ name: 'db', pattern: '*', target: 'audit', handler: ['audit'], origin: '' }] },
    ),
    'no path to done without approval READY',
    ['proved'],
  ],
  [
    'evidence by the name of its guard',
    withReview({
      on: { SHIP: { to: 'done', guards: [evidence('green')] } },
    }),
    green,
    ['proved'],
  ],
  [
    'evidence by its command',
    withReview({
      on: { SHIP: { to: 'done', guards: [evidence('green')] } },
    }),
    'no path to done without evidence npm test',
    ['proved'],
  ],
  [
    'the short form',
    withReview({
      on: { SHIP: { to: 'done', guards: [evidence('green')] } },
    }),
    'no path to done without green',
    ['proved'],
  ],
  [
    'a command that must fail, which is no success of it',
    withReview({ on: { SHIP: { to: 'done', guards: [evidence('red', { exit: 1 })] } } }),
    'no path to done without evidence npm test',
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'evidence that is only claimed',
    withReview({ on: { SHIP: { to: 'done', guards: [evidence('green', { grade: 'claimed' })] } } }),
    green,
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'a guard on the word of the agent',
    withReview({ on: { SHIP: { to: 'done', guards: [['green', 'eq', true]] } } }),
    'no path to done without evidence green-eq',
    ['disproved', 'work → READY → review → SHIP → done'],
  ],
  [
    'another definition on the way',
    withReview({
      on: {
        SHIP: {
          move: { kind: 'invoke', machine: 'x', input: {}, onComplete: 'done', onFail: null },
        },
      },
    }),
    ship,
    ['unknown', 'work → READY → review → SHIP (invoke) → done'],
  ],
  ['a definition that may be forced', { ...gated, hasDebug: true }, ship, ['unknown']],
]

const forked = (join: 'all' | 'any'): Machine => {
  const way = fork({ a: ['one', 'one-end'], b: ['two', 'two-end'] }, 'done')
  const move = typeof way === 'string' || way.move?.kind !== 'fork' ? null : { ...way.move, join }
  if (move === null) throw new Error('bug: a fork has a move')
  return build({
    work: { on: { SPLIT: { move } } },
    one: { on: { OK: { to: 'one-end', hasGate: true } } },
    'one-end': 'final',
    two: { on: { OK: 'two-end' } },
    'two-end': 'final',
    done: 'final',
  })
}

describe('proofs', () => {
  for (const [title, machine, claim, expected] of cases) {
    it(`${title}: ${expected[0]}`, () => {
      expect(answer(machine, claim)).toEqual(expected)
    })
  }
  it('looks into branches: all of them have to end, or any of them', () => {
    const claim = 'no path to done without approval OK'
    expect(answer(forked('all'), claim)).toEqual(['proved'])
    expect(answer(forked('any'), claim)).toEqual([
      'disproved',
      'work → SPLIT (after its branches) → done',
    ])
    expect(answer(forked('all'), 'no path to two-end without approval OK')[0]).toBe('disproved')
  })
  it('says what has to be true on the path', () => {
    const machine = withReview({ on: { SHIP: { to: 'done', guards: [['a', 'exists']] } } })
    const claim = readClaim(ship)
    const { path, reason } = proveClaim(machine, claim ?? { text: '', target: '', without: never })
    expect(traceNeeds(path)).toEqual(['guard `a-exists` holds'])
    expect(reason).toBe('`SHIP` never asks for an approval')
  })
  it('reads only sentences that are claims', () => {
    for (const text of [
      '',
      'no path to done',
      'no path to without approval',
      'all paths to done',
    ]) {
      expect(readClaim(text)).toBeNull()
    }
  })
})
const never = { kind: 'approval', signal: null } as const

// ── every path of small machines, one by one ────────────────────────────────

const names = ['a', 'b', 'c', 'd', 'e'] as const
const way = fc.record({
  to: fc.constantFrom(...names, '$return', '$end'),
  hasGate: fc.boolean(),
  guards: fc.constantFrom([], [evidence('green')], [['x', 'exists'] as const]),
})
const stageParts = fc.record(
  {
    on: fc.dictionary(
      fc.constantFrom('X', 'Y', 'SHIP'),
      fc.array(way, { minLength: 1, maxLength: 2 }),
    ),
    fallback: fc.constantFrom(...names),
    final: fc.constantFrom('completed' as const, 'failed' as const),
  },
  { requiredKeys: ['on'] },
)
const machines = fc
  .record({
    stages: fc.tuple(stageParts, stageParts, stageParts, stageParts, stageParts),
    detours: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
  })
  .map(({ stages, detours }) =>
    build(Object.fromEntries(names.map((name, index) => [name, stages[index] ?? {}])), {
      detours: detours.map((target) => {
        return { name: target, pattern: '*', target, handler: [...names], origin: '' }
      }),
    }),
  )

type Standing = { stage: string; returnTo: string | null; length: number }

/** The length of the shortest path that avoids the obligation, walked with its detour. */
function walked(machine: Machine, target: string, isFulfilled: (step: Taken) => boolean) {
  const seen = new Set<string>()
  const queue: Standing[] = [{ stage: machine.initial, returnTo: null, length: 0 }]
  for (const { stage, returnTo, length } of queue) {
    if (stage === target || (target === 'completed' && ends(machine, stage))) return length
    const key = `${stage} ${returnTo}`
    if (seen.has(key)) continue
    seen.add(key)
    for (const next of stepsFrom(machine, stage, returnTo)) {
      if (!isFulfilled(next)) queue.push({ ...next, length: length + 1 })
    }
  }
  return null
}

const ends = (machine: Machine, stage: string): boolean =>
  stage === '$end' || machine.stages[stage]?.final === 'completed'

type Taken = {
  stage: string
  returnTo: string | null
  signal: string
  isGated: boolean
  guards: string[]
}

function stepsFrom(machine: Machine, at: string, returnTo: string | null): Taken[] {
  const stage = machine.stages[at]
  if (stage === undefined || stage.final !== null) return []
  const free = { signal: '', isGated: false, guards: [] }
  const steps: Taken[] = Object.values(stage.signals).flatMap((trigger) =>
    trigger.routes.filter(isTaken).flatMap(({ move, gate, guards }) => {
      const by = { signal: trigger.name, isGated: gate !== null, guards: guards.flatMap(named) }
      if (move.kind === 'goto') return [{ ...by, stage: move.stage, returnTo }]
      if (move.kind === 'end') return [{ ...by, stage: '$end', returnTo }]
      return returnTo === null ? [] : [{ ...by, stage: returnTo, returnTo: null }]
    }),
  )
  if (stage.fallback !== null) steps.push({ ...free, stage: stage.fallback.stage, returnTo })
  if (returnTo === null) {
    for (const { target } of machine.detours) steps.push({ ...free, stage: target, returnTo: at })
  }
  return steps
}

/** An earlier route that wants nothing more takes all. */
function isTaken(route: Route, index: number, routes: readonly Route[]): boolean {
  const own = route.guards.map(wanted)
  return !routes.slice(0, index).some((one) => one.guards.every((it) => own.includes(wanted(it))))
}

const wanted = (guard: Guard): string => JSON.stringify({ ...guard, name: '', origin: '' })

const named = (guard: Guard): string[] => (guard.kind === 'evidence' ? [guard.name] : [])

describe('proofs on small random machines', () => {
  it('agree with walking every path', () => {
    fc.assert(
      fc.property(machines, fc.constantFrom(...names, 'completed'), (machine, target) => {
        const approval = walked(machine, target, (step) => step.isGated && step.signal === 'SHIP')
        const seen = walked(machine, target, (step) => step.guards.includes('green'))
        for (const [text, length] of [
          [`no path to ${target} without approval SHIP`, approval],
          [`no path to ${target} without evidence green`, seen],
        ] as const) {
          const claim = readClaim(text)
          if (claim === null) throw new Error('bug: a claim')
          const proof = proveClaim(machine, claim)
          expect(proof.verdict).toBe(length === null ? 'proved' : 'disproved')
          expect(proof.path.length).toBe(length ?? 0)
        }
      }),
      { numRuns: 2000, seed: 26 },
    )
  })
})
