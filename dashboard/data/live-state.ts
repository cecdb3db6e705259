/**
 * The state that the whole page shares: who is signed in, the latest runs, and pending approvals.
 * Loaded once, then updated by the stream of changes.
 */
import type { OperationAnswer, StreamMessage } from '../../src/doors/api/contract.ts'
import { ApiError, callApi } from './api-client.ts'
import { forgetKey, keyOf } from './session-key.ts'
import { followStream } from './stream.ts'
import { openValueStore } from './value-store.ts'

export type LiveRunHead = OperationAnswer<'runs.list'>['items'][number]
export type PendingApproval = OperationAnswer<'approvals.read'>
export type Me = OperationAnswer<'me'>

export type Live = {
  /** `none`: nobody has signed in; `loading`: nothing is known yet. */
  readonly link: 'none' | 'loading' | 'live' | 'lost'
  readonly me: Me | null
  /** The latest change first. */
  readonly heads: readonly LiveRunHead[]
  /** Questions that wait; null: not known yet. */
  readonly approvals: readonly PendingApproval[] | null
}

/** Runs that are kept at hand; the list of all runs has the others. */
const headsMax = 500
const nobody: Live = { link: 'none', me: null, heads: [], approvals: null }

export const live = openValueStore<Live>(nobody)

let ending: AbortController | null = null

/** Begins to look; does nothing when nobody has signed in. */
export async function beginLive(): Promise<void> {
  ending?.abort()
  if (keyOf() === null) return live.set(() => nobody)
  const own = new AbortController()
  ending = own
  const { signal } = own
  live.set((was) => ({ ...was, link: 'loading' }))
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const [me, { items }] = await Promise.all([
        callApi('me', {}, { signal }),
        callApi('runs.list', { limit: 200 }, { signal }),
        loadApprovals(signal),
      ])
      live.set((was) => ({ ...was, me, heads: items, link: 'live' }))
      // WHY from the latest one: what changes between the list and the stream comes again.
      return await followChanges(items[0]?.updatedAt ?? 0, signal)
    } catch (thrown) {
      if (isSignedOut(thrown)) return endLive()
      live.set((was) => ({ ...was, link: 'lost' }))
      await new Promise((resolve) => setTimeout(resolve, Math.min(3_000, 300 * 2 ** tries)))
    }
  }
}

/** Forgets everything; the page asks for a code. */
export function endLive(): void {
  ending?.abort()
  forgetKey()
  live.set(() => nobody)
}

function isSignedOut(thrown: unknown): boolean {
  return thrown instanceof ApiError && thrown.problem.status === 401
}

function followChanges(after: number, signal: AbortSignal): Promise<void> {
  return followStream('changes.stream', {
    input: {},
    after,
    signal,
    onMessages: (messages) => hear(messages, signal),
    onLink: (link) => {
      if (link === 'out') return endLive()
      // What was asked or decided while nobody listened.
      if (link === 'live') void loadApprovals(signal).catch(() => undefined)
      live.set((was) => ({ ...was, link }))
    },
  })
}

function hear(messages: readonly StreamMessage<'changes.stream'>[], signal: AbortSignal): void {
  const waiting = new Set(live.get().approvals?.map((one) => one.runId))
  if (messages.some((head) => head.asks || waiting.has(head.id))) loadSoon(signal)
  live.set((was) => ({ ...was, heads: merge(was.heads, messages) }))
}

function merge(
  known: readonly LiveRunHead[],
  changed: readonly LiveRunHead[],
): readonly LiveRunHead[] {
  const byId = new Map(known.map((head) => [head.id, head]))
  for (const head of changed) {
    if ((byId.get(head.id)?.seq ?? 0) <= head.seq) byId.set(head.id, head)
  }
  return [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, headsMax)
}

let isDue = false
const gatherMs = 80

/** Several changes that come together are one reason to look. */
function loadSoon(signal: AbortSignal): void {
  if (isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    void loadApprovals(signal).catch(() => undefined)
  }, gatherMs)
}

/** Looks what waits for a person. */
export async function loadApprovals(signal: AbortSignal | null = null): Promise<void> {
  const query = { status: 'pending', limit: 500 } as const
  const { items } = await callApi('approvals.list', query, signal === null ? {} : { signal })
  live.set((was) => ({ ...was, approvals: items.toSorted(byUrgency) }))
}

/** The riskiest first, and the one with more risks; among equals the one that waits longest. */
function byUrgency(a: PendingApproval, b: PendingApproval): number {
  const byRisk = riskOf(b) - riskOf(a) || b.risks.length - a.risks.length
  return byRisk || a.requestedAt - b.requestedAt
}

/**
 * What is risky weighs most, then what several people must approve, then any command or call to a
 * server, then changes of files.
 */
export function riskOf({ kind, pending, risks }: PendingApproval): 1 | 2 | 3 | 4 | 5 {
  if (risks.length > 0) return 5
  // WHY the cast: kept so by the runtime, beside what waits.
  const { quorum } = pending as { readonly quorum?: { readonly needed: number } }
  if ((quorum?.needed ?? 1) > 1) return 4
  if (kind === 'move') return 2
  const { tool } = pending as { readonly tool: string }
  if (tool === 'Bash' || tool.startsWith('mcp__')) return 3
  return /edit|write|patch|replace/i.test(tool) ? 2 : 1
}
