/**
 * Steps per second of the engine beside XState's pure `transition()` on the same 12-stage
 * machine, and how reading, compiling and checking a definition grow with its size.
 */
import { assign, createMachine, initialTransition, transition } from 'xstate'
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import { decide } from '../../src/core/engine/decide.ts'
import type { Command, Envelope, RunState } from '../../src/core/engine/types.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import { interleave, median, print } from './measure.ts'

const stagesCount = 12
const stepsCount = 20_000
const roundsCount = 9

/** A ring of twelve stages; every step passes a guard, every lap writes a value. */
function workflowText(): string {
  const states: Record<string, unknown> = { done: { type: 'final' } }
  for (let index = 0; index < stagesCount - 1; index += 1) {
    const next = `s${(index + 1) % (stagesCount - 1)}`
    states[`s${index}`] = {
      allowed_tools: ['Read', 'Bash'],
      on: { NEXT: { target: next, guard: 'go' }, STOP: 'done' },
    }
  }
  const guards = { go: { field: 'ok', op: 'eq', value: true } }
  return JSON.stringify({ id: 'ring', initial: 's0', context: { ok: true, n: 0 }, guards, states })
}

function pawlMachine(text: string): Machine {
  const { root } = readSource(text)
  const machine = root === null ? undefined : compileDefinition(root).machines[0]
  if (machine === undefined) throw new Error('the bench machine has errors')
  return machine
}

function xstateMachine(data: { readonly n: number } | null) {
  const states: Record<string, object> = { done: { type: 'final' } }
  for (let index = 0; index < stagesCount - 1; index += 1) {
    const next = `s${(index + 1) % (stagesCount - 1)}`
    const actions =
      data !== null ? [assign({ n: ({ event }) => (event as unknown as { n: number }).n })] : []
    states[`s${index}`] = { on: { NEXT: { target: next, guard: 'go', actions }, STOP: 'done' } }
  }
  return createMachine(
    { id: 'ring', initial: 's0', context: { ok: true, n: 0 }, states },
    { guards: { go: ({ context }) => (context as { ok: boolean }).ok === true } },
  )
}

const envelope: Envelope = { runId: 'bench', at: 0, actor: { kind: 'agent', name: 'agent' } }

function pawlSteps(machine: Machine, data: { readonly [key: string]: number } | null): () => void {
  const where = { machine, envelope }
  const started = decide(where, null, { type: 'StartRun', stage: null, vars: {}, branch: null })
  const next: Command = { type: 'SendSignal', name: 'NEXT', data, expectStage: null, goTo: null }
  return () => {
    let state: RunState = started.state
    for (let step = 0; step < stepsCount; step += 1) {
      const decision = decide(where, state, next)
      if (decision.reply.kind !== 'accepted') throw new Error('the bench machine stopped')
      state = decision.state
    }
  }
}

function xstateSteps(data: { readonly n: number } | null): () => void {
  const machine = xstateMachine(data)
  const next = { type: 'NEXT', ...data }
  const [started] = initialTransition(machine)
  return () => {
    let snapshot = started
    for (let step = 0; step < stepsCount; step += 1)
      [snapshot] = transition(machine, snapshot, next)
    if (snapshot.value === 's0' && stepsCount % 11 !== 0) throw new Error('xstate did not move')
  }
}

/** A generated definition: chains, branches, guards, gates and limits, as people write them. */
export function generatedWorkflow(count: number): string {
  const states: Record<string, unknown> = { failed: { type: 'final' }, done: { type: 'final' } }
  for (let index = 0; index < count - 2; index += 1) {
    const next = index + 1 < count - 2 ? `stage_${index + 1}` : 'done'
    states[`stage_${index}`] = {
      allowed_tools: ['Read', 'Grep', 'Edit'],
      instructions: `Do the work of part ${index}, then move on.`,
      max_iterations: 20,
      on: {
        NEXT: { target: next, guard: `g${index % 7}` },
        ASK: { target: next, requires_approval: true, approval_message: 'Go on?' },
        PICK: [
          { target: next, guard: `g${(index + 1) % 7}` },
          { target: `stage_${Math.floor(index / 2)}` },
        ],
        FAIL: 'failed',
      },
    }
  }
  const guards: Record<string, unknown> = {}
  for (let index = 0; index < 7; index += 1)
    guards[`g${index}`] = { field: `f${index}`, op: 'gte', value: index }
  return JSON.stringify({ id: 'generated', initial: 'stage_0', guards, states }, null, 2)
}

function compileOnce(text: string): void {
  const { root } = readSource(text)
  if (root === null || compileDefinition(root).machines.length !== 1)
    throw new Error('generated definition has errors')
}

/** Runs the benchmark and prints it. */
export function benchMachine(): void {
  const machine = pawlMachine(workflowText())
  const cases = {
    pawl: pawlSteps(machine, null),
    xstate: xstateSteps(null),
    pawlData: pawlSteps(machine, { n: 1 }),
    xstateData: xstateSteps({ n: 1 }),
  }
  const times = interleave(cases, roundsCount)
  const nanos = (name: keyof typeof cases): number => (median(times[name]) * 1e6) / stepsCount
  const ratio = (nanos('xstate') / nanos('pawl')).toFixed(1)
  const ratioData = (nanos('xstateData') / nanos('pawlData')).toFixed(1)
  print('machine step (12 stages, one guard), ns per step, median of interleaved rounds', [
    ['xstate transition()', nanos('xstate'), '1 ×'],
    ['pawl decide + evolve', nanos('pawl'), `${ratio} × faster (goal ≥ 40)`],
    ['xstate with assign', nanos('xstateData'), '1 ×'],
    ['pawl with data merged', nanos('pawlData'), `${ratioData} × faster`],
    ['pawl steps per second', 1e9 / nanos('pawl'), ''],
  ])
  const sizes = [500, 1_000, 2_000, 5_000]
  const texts = sizes.map((count) => ({ count, text: generatedWorkflow(count) }))
  const work = Object.fromEntries(texts.map(({ count, text }) => [count, () => compileOnce(text)]))
  const compiled = interleave(work, 5)
  const base = median(compiled[500] ?? [])
  print(
    'read + compile + check of a generated workflow, ms',
    texts.map(({ count, text }) => {
      const ms = median(compiled[count] ?? [])
      return [
        `${count} stages, ${Math.round(text.length / 1024)} KiB`,
        ms,
        `${(ms / base).toFixed(1)} × of 500`,
      ]
    }),
  )
}
