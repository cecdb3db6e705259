/**
 * The replies of a scripted model: turns that are used one per request, in lanes.
 * Knows scripts. Must not know transports or hosts.
 */
import type { Json, JsonObject } from '../../core/json.ts'

export type Script = {
  /** What the host is asked to do. */
  readonly prompt?: string
  readonly turns: readonly Turn[]
  /** Turns of their own for sub-agents; the first that matches is taken. */
  readonly lanes?: readonly Lane[]
  /** The answer to requests that offer no tools (titles, summaries); they use no turn. */
  readonly aux?: string
  /** A pattern of questions that are answered in the same way, whatever tools they offer. */
  readonly asides?: string
  /** The answer when all turns are used. */
  readonly exhausted?: string
}

export type Lane = {
  readonly name: string
  /** Part of the first words of the user, or of the system prompt. */
  readonly match: string
  readonly turns: readonly Turn[]
}

export type Turn = {
  readonly text?: string
  readonly tools?: readonly ScriptedCall[]
  readonly delayMs?: number
  /** What the host is told that its request came to, so that it compacts its context. */
  readonly promptTokens?: number
  /**
   * A pattern: the turn is taken again until what comes back matches, `againMax` times at most. A
   * server that is still starting does not yet have the tool.
   */
  readonly until?: string
  /** Answers with a fault of HTTP instead. */
  readonly error?: { readonly status: number; readonly body?: JsonObject }
}

/** `search`: for tools that the host has not offered yet. */
export type CallKind = 'function' | 'custom' | 'local_shell' | 'search'

export type ScriptedCall = {
  readonly name: string
  /** `{"$last": PATTERN, "as"?: "number"}` anywhere in it: group 1 in what was just told. */
  readonly input: Json
  readonly id?: string
  /** Codex alone knows the last two. */
  readonly kind?: CallKind
  readonly namespace?: string
}

/** The turn that answers a request, and where it stood. */
type Picked = { readonly lane: string; readonly index: number | null; readonly turn: Turn }

/** What of a request decides which turn answers it. */
type LaneQuery = {
  readonly tools: readonly string[]
  readonly firstWords: string
  readonly system: string
  /** What came back since the last turn. */
  readonly told: readonly { readonly text: string }[]
}

export type Playing = {
  readonly next: (asking: LaneQuery) => Picked
  /** Lanes that were not used up: `main 2/5`. */
  readonly unused: () => readonly string[]
}

/**
 * How often a turn is taken again, and the pause before that, which doubles each time.
 * WHY not at once: some hosts end a session whose model makes the same call five times.
 */
const againMax = 8
const againMs = 400
const againMsMax = 6_400

/** Plays a script from its beginning. */
export function playModelScript(script: Script): Playing {
  const main: Lane = { name: 'main', match: '', turns: script.turns }
  // INVARIANT: the main lane is last, and matches everything.
  const lanes = [...(script.lanes ?? []), main].map((lane) => ({ lane, used: 0, again: 0 }))
  return {
    next: ({ tools, firstWords, system, told }) => {
      if (tools.length === 0 || isAside(script, told)) {
        return { lane: 'aux', index: null, turn: { text: script.aux ?? 'ok' } }
      }
      const place = lanes.find(
        ({ lane }) => firstWords.includes(lane.match) || system.includes(lane.match),
      )
      if (place === undefined) throw new Error('the main lane matches everything')
      const last = place.lane.turns[place.used - 1]
      if (last !== undefined && isAgain(last, told) && place.again < againMax) {
        const delayMs = Math.min(againMsMax, againMs * 2 ** place.again)
        place.again += 1
        const turn = { ...last, delayMs }
        return { lane: place.lane.name, index: place.used - 1, turn }
      }
      const index = place.used
      place.used += 1
      place.again = 0
      const turn = place.lane.turns[index] ?? { text: script.exhausted ?? 'SCRIPT-EXHAUSTED' }
      return { lane: place.lane.name, index, turn }
    },
    unused: () =>
      lanes
        .filter(({ lane, used }) => used < lane.turns.length)
        .map(({ lane, used }) => `${lane.name} ${used}/${lane.turns.length}`),
  }
}

function isAside({ asides }: Script, told: LaneQuery['told']): boolean {
  return asides !== undefined && told.some(({ text }) => new RegExp(asides).test(text))
}

function isAgain({ until }: Turn, told: LaneQuery['told']): boolean {
  return until !== undefined && !told.some(({ text }) => new RegExp(until).test(text))
}

/** An input with every `$last` replaced by what was found in the words just told. */
export function fillLast(input: Json, told: string): Json {
  if (typeof input !== 'object' || input === null) return input
  if (Array.isArray(input)) return input.map((one) => fillLast(one, told))
  const { $last, as } = input as JsonObject
  if (typeof $last === 'string') {
    const found = new RegExp($last).exec(told)?.[1] ?? ''
    return as === 'number' ? Number(found) : found
  }
  return Object.fromEntries(Object.entries(input).map(([key, one]) => [key, fillLast(one, told)]))
}
