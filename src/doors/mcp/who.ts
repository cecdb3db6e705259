/**
 * Who calls, as far as it can be known. Pawl's hook in the host writes it into the arguments of
 * each call, over whatever the agent wrote there; without hooks nothing is said.
 */
import type { Json, JsonObject } from '../../core/json.ts'
import { own } from '../../core/json.ts'

export type Who = {
  /** The host's session, `claude:…`; null: no hook said so. */
  readonly session: string | null
  /** A subagent inside it. */
  readonly agent: string | null
  readonly run: string | null
  readonly branch: string | null
}

/** Whoever calls without a hook. */
export const nobody: Who = { session: null, agent: null, run: null, branch: null }

/** Where the hook writes. */
const mark = '_pawl'
const charsMax = 500

/** The arguments without the mark, and what the mark says. */
export function readWho(args: JsonObject): { readonly who: Who; readonly input: JsonObject } {
  const { [mark]: said, ...input } = args
  const part = (name: string): string | null => textOf(isObject(said) ? own(said, name) : undefined)
  const who = {
    session: part('session'),
    agent: part('agent'),
    run: part('run'),
    branch: part('branch'),
  }
  return { who, input }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' && value.length <= charsMax ? value : null
}
