/**
 * A canary: something that a guarded agent must not be able to do, with a file on disk that shows
 * whether it did. Many of them are tried in one session.
 * Knows sessions. Must not know which canaries there are.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { drive, type Transcript } from './hosts/drive.ts'
import type { McpServer } from './hosts/host.ts'
import type { Exchange } from './model/open-model.ts'
import type { Lane, Turn } from './model/script.ts'
import type { SandboxEnv } from './sandbox-env.ts'

export type Canary = {
  readonly id: string
  readonly turns: readonly Turn[]
  /** Turns of the sub-agent that it starts. */
  readonly lane?: Lane
  /** What happens to the machine before it is tried, and how that is made good. */
  readonly before?: () => Promise<void>
  readonly after?: () => Promise<void>
  /** Whether it was executed, by what is on the disk. */
  readonly hasLanded: () => boolean
}

export type Tried = {
  readonly id: string
  /** Null: the session ended before it. */
  readonly hasLanded: boolean | null
  /** What the model was told back about each call, in order; null: nothing. */
  readonly told: readonly (string | null)[]
  /** How its session ended, if it had one of its own. */
  readonly end?: Transcript
}

export type Trial = { readonly tried: readonly Tried[]; readonly transcript: Transcript }

type TrialWish = {
  readonly world: SandboxEnv
  readonly canaries: readonly Canary[]
  readonly mcp: Readonly<Record<string, McpServer>>
  readonly hookTrust: 'asked' | 'skipped'
  readonly timeoutMs: number
}

/** How long a sub-agent that works in the background is waited for. */
const laneMsMax = 6_000
const lookMs = 50
/** What hosts say about a tool that they do not have: then no sub-agent was started. */
const noTool = /\btool\b.*\b(not found|unknown|does not exist)\b/i

/** Tries canaries one after the other in one session of the real host. */
export async function tryCanaries(wish: TrialWish): Promise<Trial> {
  const { world, canaries, mcp, hookTrust, timeoutMs } = wish
  const seen: Exchange[] = []
  const landed = new Map<string, boolean>()
  const open = new Map<Canary, Promise<void>>()
  const finish = async (canary: Canary | undefined, { told }: Exchange): Promise<void> => {
    if (canary === undefined) return
    const isStarted = !told.some(({ text }) => noTool.test(text))
    if (canary.lane !== undefined && isStarted) await laneEnd(canary.lane, seen)
    open.delete(canary)
    await canary.after?.()
    landed.set(canary.id, canary.hasLanded())
  }
  const starts = startsOf(canaries)
  const onTurn = async (exchange: Exchange): Promise<void> => {
    seen.push(exchange)
    if (exchange.lane !== 'main') return
    const at = starts.indexOf(exchange.index ?? -1)
    if (at < 0) return
    await finish(canaries[at - 1], exchange)
    const next = canaries[at]
    if (next === undefined) return
    const begun = next.before?.() ?? Promise.resolve()
    open.set(next, begun)
    await begun
  }
  const turns = [...canaries.flatMap((one) => named(one, one.turns)), { text: 'All done.' }]
  const lanes = canaries.flatMap((one) =>
    one.lane === undefined ? [] : [{ ...one.lane, turns: named(one, one.lane.turns, 'sub') }],
  )
  const { program, host, project, home, env } = world
  const script = { prompt: 'Do the work.', turns, lanes }
  const transcript = await drive({
    ...{ host, program, project, home, env, script, onTurn, mcp, hookTrust, timeoutMs },
  })
  // WHY: what the proof did itself must not look as if the agent had.
  for (const [canary, begun] of open) {
    await begun.catch(() => undefined)
    await canary.after?.()
  }
  const tried = canaries.map((canary) => {
    const before = landed.get(canary.id)
    // WHY both: what was started may have landed late.
    const hasLanded = before === undefined ? landedOrNull(canary) : before || canary.hasLanded()
    return { id: canary.id, hasLanded, told: toldAbout(canary, transcript) }
  })
  return { tried, transcript }
}

/** A canary that was never finished is known to have landed or not known at all. */
function landedOrNull(canary: Canary): true | null {
  return canary.hasLanded() ? true : null
}

/** The turn at which each begins; the last is the end of all. */
function startsOf(canaries: readonly Canary[]): readonly number[] {
  const starts = [0]
  for (const { turns } of canaries) starts.push((starts.at(-1) ?? 0) + turns.length)
  return starts
}

async function laneEnd({ name, turns }: Lane, seen: readonly Exchange[]): Promise<void> {
  const isOver = (): boolean =>
    seen.some((one) => one.lane === name && one.index === turns.length - 1)
  for (const end = performance.now() + laneMsMax; performance.now() < end && !isOver(); ) {
    await sleep(lookMs)
  }
}

/** Its turns with calls that can be told from those of others. */
function named(canary: Canary, turns: readonly Turn[], part = ''): readonly Turn[] {
  return turns.map((turn, at) => ({
    ...turn,
    tools: (turn.tools ?? []).map((call, index) => ({
      ...call,
      id: `${prefixOf(canary)}${part}${at}_${index}`,
    })),
  }))
}

function prefixOf({ id }: Canary): string {
  return `call_${id.replaceAll(/\W/g, '-')}_`
}

function toldAbout(canary: Canary, { calls }: Transcript): Tried['told'] {
  return calls.filter((one) => one.id.startsWith(prefixOf(canary))).map(({ told }) => told)
}
