/**
 * What simulated agents work by: definitions of the examples, some made for the purpose, and many
 * generated ones, compiled once; and the policies laid over them.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { startFamily } from '../../src/core/engine/family.ts'
import type { Machine, Policy } from '../../src/core/machine/machine.ts'
import { compilePolicy } from '../../src/core/policy/compile-policy.ts'
import { compileSource } from '../../src/runtime/definitions/compile-source.ts'
import {
  type MachineCache,
  machineIn,
  storedMachine,
} from '../../src/runtime/definitions/machine-cache.ts'
import type { DefinitionRow, Store, StoredMachine } from '../../src/runtime/ports.ts'
import { prepare, type Setup } from '../generators/compile-generated.ts'
import { definitionSet } from '../generators/definitions.ts'

/** One definition with those that it invokes, by name; the first is started. */
export type Scene = {
  readonly name: string
  readonly machines: readonly (readonly [string, Machine])[]
}

const generatedCount = 60
/** WHY not the schedule's seed: compiling costs more than a schedule, so all share one set. */
const generatorSeed = 20_260_311

const gated = {
  id: 'gated',
  initial: 'plan',
  states: {
    plan: { allowed_tools: ['Read', 'mcp__mail__send'], max_iterations: 2, on: { GO: 'work' } },
    work: {
      allowed_tools: ['Read', 'Edit', 'Bash', 'mcp__mail__send'],
      max_iterations: 3,
      on: {
        SHIP: {
          target: 'done',
          requires_approval: true,
          approval_message: 'ship it?',
          approval_editable: ['version'],
        },
        BACK: { target: 'plan', requires_approval: true },
        AGAIN: 'work',
      },
    },
    done: { type: 'final' },
  },
  meta: { calls_max: 12 },
}

const branched = {
  id: 'branched',
  initial: 'open',
  policy: {
    ask: [{ capability: 'mcp:mail:*', count: { max: 2, window_seconds: 600 } }],
    allow: [
      {
        capability: 'mcp:bank:pay',
        count: { max: 4, window_seconds: 300 },
        sum: { of: 'input.amount', max: 20 },
      },
      {
        capability: 'mcp:cd:deploy',
        after: { capability: 'bash', input: { command: 'npm test' }, within_seconds: 200 },
      },
    ],
  },
  states: {
    open: {
      max_iterations: 5,
      on: {
        SPLIT: split('all'),
        RACE: split('any'),
        ASK: { invoke: 'gated', on_complete: 'open', on_fail: 'open' },
        END: { target: 'done', requires_approval: true },
      },
    },
    left: { max_iterations: 1, on: { OK: 'left_ok', NO: 'lost' } },
    left_ok: { type: 'final' },
    right: { max_iterations: 2, on: { OK: { target: 'right_ok', requires_approval: true } } },
    right_ok: { type: 'final' },
    lost: { type: 'final', outcome: 'failed' },
    look: { max_iterations: 2, on: { SEEN: '$return' } },
    done: { type: 'final' },
  },
  interrupts: { touched: { trigger: { file_pattern: 'src/**' }, target: 'look' } },
}

function split(join: 'all' | 'any'): object {
  const branches = {
    left: { initial: 'left', terminal: 'left_ok' },
    right: { initial: 'right', terminal: 'right_ok' },
  }
  return { fork: { branches, join, on_complete: 'open', on_fail: 'open' } }
}

const asked = {
  name: 'asked',
  initial: 'first',
  session_budget_usd: 1,
  policy: {
    ask: [
      { capability: 'edit' },
      { capability: 'mcp:mail:*', rate_limit: { max_calls: 2, window_seconds: 60 } },
    ],
    allow: [{ capability: 'read', rate_limit: { max_calls: 3, window_seconds: 600 } }],
  },
  states: {
    first: {
      question: 'ready?',
      answers: { yes: { next: 'second' }, ask: { next: 'second', action: 'notify_human' } },
    },
    second: {
      question: 'done?',
      answers: { yes: { next: null, action: 'complete' }, no: { next: 'first' } },
    },
  },
}

const branchNames = ['b0', 'b1', 'b2', 'b3'] as const

/** Two limits on what happened before, in a run and in its branches. */
const limited = {
  id: 'limited',
  initial: 'open',
  policy: {
    allow: [
      { capability: 'mcp:bank:pay', count: { max: 7 } },
      { capability: 'mcp:bank:send', sum: { of: 'input.amount', max: 50 } },
    ],
  },
  states: {
    open: {
      on: {
        SPLIT: {
          fork: {
            join: 'all',
            on_complete: 'end',
            branches: Object.fromEntries(
              branchNames.map((name) => [name, { initial: `s-${name}`, terminal: `t-${name}` }]),
            ),
          },
        },
      },
    },
    ...Object.fromEntries(
      branchNames.flatMap((name) => [
        [`s-${name}`, { on: { DONE: `t-${name}` } }],
        [`t-${name}`, { type: 'final' }],
      ]),
    ),
    end: { type: 'final' },
  },
}

const fromText = (source: string): Machine => {
  const { good, findings } = compileSource({ source, format: null })
  if (good === null) throw new Error(`bug: a scene has errors: ${JSON.stringify(findings)}`)
  return good.machines[0]
}
const fromFile = (path: string): Machine =>
  fromText(readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8'))
const sceneOf = (first: Machine, ...invoked: readonly Machine[]): Scene => {
  return { name: first.name, machines: [first, ...invoked].map((one) => [one.name, one]) }
}

const made = [gated, branched, asked].map((one) => fromText(JSON.stringify(one)))
const [gatedMachine, branchedMachine, askedMachine] = made as [Machine, Machine, Machine]

/** Small ones in which much happens. */
export const denseScenes: readonly Scene[] = [
  sceneOf(gatedMachine),
  sceneOf(branchedMachine, gatedMachine),
  sceneOf(askedMachine),
]

/** For many calls at once. */
export const limitedScene = sceneOf(fromText(JSON.stringify(limited)))

/** Those that people read. */
export const exampleScenes: readonly Scene[] = [
  sceneOf(fromFile('workflow/ship-service.yaml'), fromFile('workflow/ship-checklist.yaml')),
  sceneOf(fromFile('workflow/tdd-bug-fix.json')),
  sceneOf(fromFile('process/night-watch.yaml')),
  sceneOf(fromFile('process/release-checklist.json')),
  sceneOf(fromFile('steps/bug-report.yaml')),
  sceneOf(fromFile('steps/refund-call.json')),
]

/** Those that nobody would write. */
export const generatedScenes: readonly Scene[] = fc
  .sample(definitionSet, { seed: generatorSeed, numRuns: generatedCount })
  .flatMap((set): Scene[] => {
    const { setup } = prepare(set)
    if (setup === null || !canStart(setup)) return []
    const invoked = Object.keys(set.library).flatMap((name) => {
      const machine = setup.library(name)
      return machine === undefined ? [] : [[name, machine] as const]
    })
    return [{ name: 'main', machines: [['main', setup.machine], ...invoked] }]
  })

function canStart({ machine, library }: Setup): boolean {
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const context = { library, at: 0, actor: { kind: 'agent', name: 'agent' } } as const
  return startFamily({ runId: 'r', machine }, start, context).reply.kind === 'accepted'
}

const stored = new Map<string, StoredMachine>()
const machines = new Map<string, Machine>()
for (const scene of [...denseScenes, limitedScene, ...exampleScenes, ...generatedScenes]) {
  for (const [, machine] of scene.machines) {
    const kept = storedMachine(machine)
    stored.set(machine.hash, kept)
    machines.set(machine.hash, machineIn(kept))
  }
}

/** Every machine of every scene, as it comes out of a store. */
export const shelf: MachineCache = {
  fetch: async () => undefined,
  get: (hash) => {
    const machine = machines.get(hash)
    if (machine === undefined) throw new Error(`bug: no scene has the machine ${hash}`)
    return machine
  },
  add: () => undefined,
}

/** Puts a scene into a store as if its author had sent it. */
export async function keepScene(store: Store, scene: Scene, at: number): Promise<void> {
  const all = scene.machines.map(([, machine]) => stored.get(machine.hash) as StoredMachine)
  await store.putMachines(all, at)
  for (const [name, { hash, dialect }] of scene.machines) {
    const text = { sourceHash: hash, source: '{}', format: 'json' } as const
    const latest = { version: 1, ...text, machines: { [name]: hash }, createdAt: at }
    const row = { id: `d_${name}`, name, workspace: '', dialect, createdAt: at, updatedAt: at }
    await store.createDefinition({ ...row, latest } satisfies DefinitionRow)
  }
}

const strict = {
  ask: [
    { capability: 'edit', rate_limit: { max_calls: 2, window_seconds: 3_600 } },
    { capability: 'mcp:mail:*' },
  ],
  allow: [
    { capability: 'read', rate_limit: { max_calls: 2, window_seconds: 60 } },
    { capability: 'bash', budget_limit: { max_usd: 0.5, period: 'hourly' as const } },
  ],
  deny: [{ capability: 'mcp:pager:*' }],
}
const ordered = {
  allow: [
    { capability: 'mcp:bank:*', count: { max: 2 }, sum: { of: 'input.amount', max: 12 } },
    { capability: 'mcp:cd:deploy', after: { capability: 'read', fresh: true } },
  ],
}
const loose = { allow: [{ capability: '*', rate_limit: { max_calls: 5, window_seconds: 60 } }] }

/** Policies that may be laid over all runs of a world. */
export const overlays: readonly (readonly Policy[])[] = [
  [],
  [compilePolicy(strict, '', 'strict.json')],
  [compilePolicy(loose, '', 'loose.json')],
  [compilePolicy(ordered, '', 'ordered.json')],
  [compilePolicy(loose, '', 'loose.json'), compilePolicy(strict, '', 'strict.json')],
]
