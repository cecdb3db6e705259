import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mainOf } from '../../src/core/engine/family.ts'
import { agentSteps, steps } from '../generators/commands.ts'
import { prepare } from '../generators/compile-generated.ts'
import { type DefinitionSet, definitionSet, gatedSet } from '../generators/definitions.ts'
import { lastFamily, type Trace, walk } from '../generators/walk.ts'
import { checks } from './checks.ts'
import { runs, settings, timeoutMs } from './property-settings.ts'

const usualRuns = 500

// WHY: the usual run makes its walks once for all properties; only a failure is looked for again,
//      so that it can be made smaller. A long run keeps no walks: they would not fit.
let kept: readonly Trace[] | null = null
function walks(): readonly Trace[] {
  if (kept !== null) return kept
  const samples = fc.sample(fc.tuple(definitionSet, steps), {
    ...settings(usualRuns),
    numRuns: usualRuns,
  })
  kept = samples.flatMap(([set, plans]) => {
    const { setup } = prepare(set)
    return setup === null ? [] : [walk(setup, plans)]
  })
  return kept
}

test.each(checks)('%s', { timeout: timeoutMs }, (_, check) => {
  const isLong = runs(usualRuns) !== usualRuns
  const complaint = isLong
    ? null
    : walks()
        .map(check)
        .find((one) => one !== null)
  if (isLong || complaint !== undefined) {
    fc.assert(
      fc.property(definitionSet, steps, (set, plans) => {
        const { setup } = prepare(set)
        if (setup !== null) expect(check(walk(setup, plans))).toBeNull()
      }),
      settings(usualRuns),
    )
  }
  expect(complaint ?? null).toBeNull()
})

test('no way leads past a gate to an end without a person', { timeout: timeoutMs }, () => {
  let walked = 0
  fc.assert(
    fc.property(gatedSet, agentSteps, (set, plans) => {
      const { setup } = prepare(set)
      if (setup === null) return
      walked += 1
      const trace = walk(setup, plans)
      const { state, machine } = mainOf(lastFamily(trace))
      expect(state.status).not.toBe('completed')
      expect(machine.stages[state.stage]?.final ?? null).toBeNull()
    }),
    settings(200),
  )
  expect(walked).toBeGreaterThan(0)
})

// Nothing but detours leads out of the stage, so that its calls may never begin anew.
const onlyDetours: DefinitionSet = {
  kind: 'workflow',
  main: {
    id: 'w',
    initial: 'a',
    states: {
      a: { max_iterations: 3, on: { END: { target: 'z', requires_approval: true } } },
      h: { on: { RETURN: '$return', STAY: 'h' } },
      z: { type: 'final' },
    },
    interrupts: { any: { trigger: { file_pattern: '**' }, target: 'h' } },
  },
  library: {},
}

test('no detour and no pause of an agent refills the calls of a stage', {
  timeout: timeoutMs,
}, () => {
  const { setup } = prepare(onlyDetours)
  if (setup === null) throw new Error('bug: the definition does not start')
  let detours = 0
  fc.assert(
    fc.property(agentSteps, (plans) => {
      let stage = 'a'
      let calls = 0
      for (const { event } of walk(setup, plans).steps.flatMap((one) => one.answered.recorded)) {
        if (event.type === 'stage.entered') stage = event.stage
        if (event.type === 'detour.begun') detours += 1
        if (event.type === 'call.allowed' && event.counts && stage === 'a') calls += 1
      }
      expect(calls).toBeLessThanOrEqual(3)
    }),
    settings(300),
  )
  expect(detours).toBeGreaterThan(50)
})

test('with a person who agrees, the same definitions do come to an end', () => {
  let ended = 0
  fc.assert(
    fc.property(gatedSet, steps, (set, plans) => {
      const { setup } = prepare(set)
      if (setup === null) return
      const { state } = mainOf(lastFamily(walk(setup, plans)))
      if (state.status === 'completed') ended += 1
    }),
    { ...settings(150), numRuns: 150 },
  )
  expect(ended).toBeGreaterThan(5)
})

test('most generated definitions start, and the walks see every kind of event', () => {
  const seen = new Set<string>()
  for (const trace of walks()) {
    for (const step of trace.steps) {
      for (const { event } of step.answered.recorded) seen.add(event.type)
    }
  }
  expect(walks().length).toBeGreaterThan(0.75 * usualRuns)
  expect([...seen].sort()).toEqual(everyEvent)
})

const everyEvent = [
  'approval.expired',
  'approval.granted',
  'approval.refused',
  'approval.requested',
  'call.allowed',
  'call.asked',
  'call.denied',
  'call.queued',
  'call.reported',
  'child.ended',
  'child.requested',
  'detour.begun',
  'detour.ended',
  'fork.closed',
  'fork.opened',
  'inputs.cleared',
  'inputs.collected',
  'limit.reached',
  'run.blocked',
  'run.cancelled',
  'run.completed',
  'run.failed',
  'run.paused',
  'run.resumed',
  'run.started',
  'signal.held',
  'signal.rejected',
  'signal.taken',
  'stage.entered',
  'stage.forced',
  'text.said',
  'vars.written',
  'warning.raised',
]
