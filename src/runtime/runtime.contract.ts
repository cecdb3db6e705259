/**
 * What the tests of the runtime share: a runtime on a store, with a clock that is moved by hand.
 */
import type { Policy } from '../core/machine/machine.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { errorCodeOf } from './error-code.ts'
import type { BypassTokens } from './gateway/bypass-tokens.ts'
import { type OpenRuntime, openRuntime, type RuntimeOptions } from './open-runtime.ts'
import type { OutboxItem, Store } from './ports.ts'
import type { By } from './runtime.ts'

export const agent = { kind: 'agent', name: 'claude' } as const
export const person = { kind: 'person', name: 'ada' } as const

export const asAgent: By = { actor: agent, commandId: null }
export const asPerson: By = { actor: person, commandId: null }

export type Bench = {
  readonly store: Store
  readonly runtime: OpenRuntime
  /** Moves the clock. */
  readonly pass: (ms: number) => void
  readonly told: readonly OutboxItem[]
  /** Another runtime on the same store: a restart, or another node. */
  readonly again: (
    store?: Store,
    more?: Pick<RuntimeOptions, 'brokenHooks' | 'files' | 'passkeys'>,
  ) => OpenRuntime
}

/** Where the clock of every test begins. */
export const startMs = Date.UTC(2026, 2, 11, 10, 30)

export function openBench(
  store: Store = openMemoryStore(),
  policies: readonly Policy[] = [],
  passes?: BypassTokens,
): Bench {
  let now = startMs
  let count = 0
  const told: OutboxItem[] = []
  const again: Bench['again'] = (other = store, more = {}) =>
    openRuntime({
      store: other,
      clock: { now: () => now },
      newId: () => {
        count += 1
        return `id${count}`
      },
      policies: () => policies,
      ...(passes === undefined ? {} : { passes }),
      approvalMs: 3_600_000,
      retention: { days: null, megabytes: null },
      deliver: async (item) => void told.push(item),
      log: (what, fault) => {
        throw new Error(`logged: ${what} ${String(fault)}`)
      },
      ...more,
    })
  const pass = (ms: number): void => {
    now += ms
  }
  return { store, runtime: again(), pass, told, again }
}

/** A workflow with a rule on tools, a gate and an end. */
export const release = JSON.stringify({
  id: 'release',
  initial: 'plan',
  states: {
    plan: { allowed_tools: ['Read'], on: { READY: 'build' } },
    build: {
      allowed_tools: ['Read', 'Edit', 'Bash'],
      allowed_commands: ['npm test'],
      max_iterations: 5,
      on: {
        SHIP: {
          target: 'done',
          requires_approval: true,
          approval_message: 'ship it?',
          approval_editable: ['version'],
        },
        BACK: 'plan',
      },
    },
    done: { type: 'final' },
  },
})

/** Starts a run of `release`; gives its id. */
export async function startRelease(runtime: OpenRuntime, vars = {}): Promise<string> {
  await runtime.definitions.create({ source: release, format: 'json' }).catch((fault) => {
    if (errorCodeOf(fault) !== 'DEFINITION_EXISTS') throw fault
  })
  const request = { definition: 'release', task: null, stage: null, vars, workspace: '/work' }
  return (await runtime.start(request, asAgent)).runId
}

/** A signal as any dialect hears it. */
export function say(name: string, data: Record<string, string | number> | null = null) {
  const utterance = { kind: 'message', name, data, stage: null, goTo: null } as const
  return { kind: 'say', utterance, branch: null } as const
}

/** A call of a tool of Claude Code. */
export function check(tool: string, input: Record<string, string>) {
  const where = { host: 'claude', server: null, cwd: null, branch: null } as const
  return { kind: 'check', tool, input, ...where } as const
}
