/**
 * Small machines for the tests of checks, written like a workflow.
 * Used by tests only, and left out of the build with them.
 */
import type { FindingCode } from '../errors.ts'
import type { Finding } from '../finding.ts'
import { emptyRecord, type Json } from '../json.ts'
import { checkMachine } from './check.ts'
import type {
  CompareOp,
  EndOutcome,
  Guard,
  Machine,
  Move,
  Op,
  Route,
  Stage,
  Trigger,
} from './machine.ts'

type GuardText = readonly [field: string, op: CompareOp, value?: Json]

/** A way out: the name of a stage, `$return`, `$end`, or what is special about it. */
export type Way =
  | string
  | {
      readonly to?: string
      readonly move?: MoveParts
      readonly guards?: readonly (GuardText | Guard)[]
      readonly hasGate?: boolean
    }

type MoveParts = Move extends infer One ? (One extends Move ? Omit<One, 'origin'> : never) : never

export type StageParts = {
  readonly on?: Readonly<Record<string, Way | readonly Way[]>>
  readonly final?: EndOutcome
  readonly tools?: readonly string[] | 'all'
  readonly commands?: readonly string[]
  readonly callsMax?: number
  readonly fallback?: string
  readonly enter?: readonly Op[]
  readonly commit?: readonly Op[]
  readonly trigger?: Partial<Trigger>
}

/** A machine from a few words; tools are `Read` where nothing is said. */
export function build(
  stages: Readonly<Record<string, StageParts | 'final'>>,
  parts: Partial<Machine> = {},
): Machine {
  const built = emptyRecord<Stage>()
  for (const [name, one] of Object.entries(stages)) {
    built[name] = stage(name, one === 'final' ? { final: 'completed' } : one)
  }
  return {
    ...{ format: 1, hash: 'sha256:0', name: 'm', dialect: 'workflow', starts: 'auto' },
    ...{ initial: Object.keys(stages)[0] ?? '', vars: {}, start: [], stages: built, detours: [] },
    ...{ prompt: '', policy: null, paths: { read: [], write: [] }, mail: null, ownTools: [] },
    ...{ limits: { microUsdMax: null, callsMax: null }, hasDebug: false, holdsAtEnd: false },
    ...{ danger: 'safe', meta: {} },
    ...parts,
  }
}

function stage(name: string, parts: StageParts): Stage {
  const origin = `/states/${name}`
  const signals = emptyRecord<Trigger>()
  for (const [signal, ways] of Object.entries(parts.on ?? {})) {
    const isList = Array.isArray(ways)
    const at = `${origin}/on/${signal}`
    const routes = (isList ? (ways as readonly Way[]) : [ways as Way]).map((way, i) => {
      return route(way, isList ? `${at}/${i}` : at)
    })
    signals[signal] = {
      ...{ name: signal, origin: at, fields: null, prepare: [], commit: parts.commit ?? [] },
      ...{ routes, otherwise: 'reject', canName: false, warning: null },
      ...parts.trigger,
    }
  }
  const fallback = parts.fallback
  return {
    ...{ name, origin, brief: [], final: parts.final ?? null, signals, foldsSignals: false },
    rule: {
      tools: { allow: parts.tools ?? ['Read'], deny: [], among: null },
      ...{ commands: parts.commands ?? null, commandTool: 'Bash', envBlocked: [], envSet: {} },
      ...{ callsMax: parts.callsMax ?? null, editLinesMax: null, filesMax: null, bytesMax: null },
    },
    fallback:
      fallback === undefined
        ? null
        : { stage: fallback, except: [], origin: `${origin}/safe_next` },
    ...{ enter: parts.enter ?? [], mustCall: false, model: null, thinking: null },
  }
}

function route(way: Way, origin: string): Route {
  const parts = typeof way === 'string' ? { to: way } : way
  const gate = { message: '', refusal: 'stay', origin } as const
  return {
    ...{ origin, requires: [], gate: parts.hasGate ? gate : null },
    guards: (parts.guards ?? []).map((one) => ('kind' in one ? one : guard(one))),
    move: moveOf(parts, origin),
  }
}

function moveOf(parts: Exclude<Way, string>, at: string): Move {
  const origin = `${at}/target`
  if (parts.move !== undefined) return { ...parts.move, origin } as Move
  if (parts.to === '$return') return { kind: 'return', origin }
  if (parts.to === '$end') return { kind: 'end', outcome: 'completed', origin }
  return { kind: 'goto', stage: parts.to ?? '', origin }
}

/** A guard by comparison, defined under the name of its field. */
export function guard(text: GuardText): Guard {
  const [field, op, value = null] = text
  const name = `${field}-${op}`
  return { kind: 'compare', name, field, op, value, source: null, origin: `/guards/${name}` }
}

/** A fork of branches, each given as its first and last stage. */
export function fork(
  branches: Readonly<Record<string, readonly [string, string]>>,
  onComplete: string,
  onFail: string | null = null,
): Way {
  const list = Object.entries(branches).map(([name, [initial, terminal]]) => {
    return { name, initial, terminal, origin: `/branches/${name}` }
  })
  return { move: { kind: 'fork', branches: list, join: 'all', onComplete, onFail } }
}

/** An invocation of another machine. */
export function invoke(machine: string, onComplete: string, onFail: string | null = null): Way {
  return { move: { kind: 'invoke', machine, input: {}, onComplete, onFail } }
}

/** The findings of one code. */
export function foundIn(machine: Machine, code: FindingCode): readonly Finding[] {
  return checkMachine(machine).filter((one) => one.code === code)
}

/** Where the findings of one code stand. */
export function placesIn(machine: Machine, code: FindingCode): readonly string[] {
  return foundIn(machine, code).map((one) => one.pointer)
}
