/**
 * The sessions of agents that use the API: each has a credential of its own, works on one run at a
 * time, and is known for as long as its program lives. Kept in memory: a new daemon knows none, and
 * programs ask it for another one. See docs/adr/0023-scoped-credentials.md.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { CallSignature } from '../../runtime/sessions/call-signature.ts'

export type SessionKind = 'agent' | 'gateway'

export type AgentSession = {
  /** By which its calls are told from those of others. */
  readonly name: string
  /** What a gateway reports is what Pawl has seen itself; an agent only claims. */
  readonly kind: SessionKind
  /** The only run that it may change, as its credential says; null: see `agent-runs.ts`. */
  readonly onlyRun: string | null
  /** A hook has marked a call of this program, so it works for that session of a host. */
  readonly addMark: (mark: CallSignature) => void
  readonly hasMarkOf: (hostSession: string) => boolean
  readonly hasMarkFor: (runId: string) => boolean
}

export type AgentSessions = {
  /** A new session for a program, with its credential. */
  readonly issue: (kind?: SessionKind) => {
    readonly credential: string
    readonly session: AgentSession
  }
  /** A credential for one run, which needs no memory. */
  readonly issueForRun: (runId: string) => string
  /** Whose credential this is; null: nobody's. */
  readonly find: (presented: string) => AgentSession | null
  /** A connection shows the credential; the session ends when the last one has gone. */
  readonly hold: (session: AgentSession) => () => void
  /** The session that works on a run, or on a branch of it; null: none does. */
  readonly holderOf: (place: HeldPlace) => string | null
  /** The run that a session works on; null: none. */
  readonly runOf: (session: AgentSession) => string | null
  /** From now on the session works on this run, or branch of it. */
  readonly take: (session: AgentSession, place: HeldPlace) => void
  /** A person frees the run; gives the sessions that worked on it. */
  readonly release: (runId: string) => readonly string[]
}

/** A run, or a branch of one that is open; null: the main run. */
export type HeldPlace = { readonly runId: string; readonly branch: string | null }

type Known = {
  readonly session: AgentSession
  connectionsCount: number
  lastAt: number
}

type Held = { readonly name: string; readonly runId: string }

function keyOf({ runId, branch }: HeldPlace): string {
  return JSON.stringify([runId, branch])
}

/** Sessions at a time; of those that hold nothing, the one that was silent longest goes first. */
const sessionsMax = 10_000
/** A session that no connection holds ends after so long without a request. */
const silenceMsMax = 30 * 60_000
/** Marks that one program may show: it serves one session of a host, and its successors. */
const marksMax = 16
const credentialBytes = 32

export function openAgentSessions(key: string, now: () => number): AgentSessions {
  const byHash = new Map<string, Known>()
  const holders = openHolders()
  const end = (hash: string): void => {
    const known = byHash.get(hash)
    byHash.delete(hash)
    if (known !== undefined) holders.drop(known.session.name)
  }
  const isSilent = ({ connectionsCount, lastAt }: Known): boolean =>
    connectionsCount === 0 && lastAt < now() - silenceMsMax
  const makeRoom = (): void => {
    for (const [hash, known] of byHash) if (isSilent(known)) end(hash)
    if (byHash.size < sessionsMax) return
    let oldest: [string, Known] | null = null
    for (const one of byHash) {
      const [, { connectionsCount, session, lastAt }] = one
      if (connectionsCount > 0 || holders.runOf(session) !== null) continue
      if (oldest === null || lastAt < oldest[1].lastAt) oldest = one
    }
    if (oldest === null) throw new PawlError('OVERLOADED', 'there are too many agents at once')
    end(oldest[0])
  }
  const isThere = ({ name, onlyRun }: AgentSession): boolean =>
    onlyRun !== null || [...byHash.values()].some(({ session }) => session.name === name)
  return {
    ...holders,
    // WHY asked: its client may have left while a run was started for it.
    take: (session, place) => (isThere(session) ? holders.take(session, place) : undefined),
    issue: (kind = 'agent') => {
      makeRoom()
      const credential = randomBytes(credentialBytes).toString('base64url')
      const hash = hashOf(credential)
      const name = `${kind}:${randomBytes(9).toString('base64url')}`
      const session = sessionNamed(name, { kind, onlyRun: null })
      byHash.set(hash, { session, connectionsCount: 0, lastAt: now() })
      return { credential, session }
    },
    issueForRun: (runId) => `${runPrefix}${encodeURIComponent(runId)}.${proofOf(key, runId)}`,
    find: (presented) => {
      if (presented.startsWith(runPrefix)) return runSession(key, presented)
      const hash = hashOf(presented)
      const known = byHash.get(hash)
      if (known === undefined) return null
      if (isSilent(known)) {
        end(hash)
        return null
      }
      known.lastAt = now()
      return known.session
    },
    hold: (session) => {
      const [hash, known] = [...byHash].find(([, one]) => one.session === session) ?? []
      if (hash === undefined || known === undefined) return () => undefined
      known.connectionsCount += 1
      return () => {
        known.connectionsCount -= 1
        if (known.connectionsCount === 0) end(hash)
      }
    },
  }
}

type Holders = Pick<AgentSessions, 'holderOf' | 'runOf' | 'take' | 'release'> & {
  /** The session has ended. */
  readonly drop: (name: string) => void
}

function openHolders(): Holders {
  const byPlace = new Map<string, Held>()
  const drop = (name: string): void => {
    for (const [key, held] of byPlace) if (held.name === name) byPlace.delete(key)
  }
  const runOf = (name: string): string | null =>
    [...byPlace.values()].find((held) => held.name === name)?.runId ?? null
  return {
    drop,
    holderOf: (place) => byPlace.get(keyOf(place))?.name ?? null,
    runOf: ({ name }) => runOf(name),
    take: ({ name }, place) => {
      if (runOf(name) !== place.runId) drop(name)
      byPlace.set(keyOf(place), { name, runId: place.runId })
    },
    release: (runId) => {
      const held = [...byPlace].filter(([, one]) => one.runId === runId)
      for (const [key] of held) byPlace.delete(key)
      return held.map(([, { name }]) => name)
    },
  }
}

function sessionNamed(name: string, scope: Pick<AgentSession, 'kind' | 'onlyRun'>): AgentSession {
  const marks: CallSignature[] = []
  return {
    name,
    ...scope,
    addMark: (mark) => {
      const isSame = (one: CallSignature): boolean =>
        one.session === mark.session && one.run === mark.run
      const at = marks.findIndex(isSame)
      if (at >= 0) marks.splice(at, 1)
      marks.push(mark)
      if (marks.length > marksMax) marks.shift()
    },
    hasMarkOf: (hostSession) => marks.some(({ session }) => session === hostSession),
    hasMarkFor: (runId) => marks.some(({ run }) => run === runId),
  }
}

const runPrefix = 'run.'

function runSession(key: string, presented: string): AgentSession | null {
  const end = presented.lastIndexOf('.')
  const name = presented.slice(runPrefix.length, end)
  try {
    const runId = decodeURIComponent(name)
    const [wanted, given] = [proofOf(key, runId), presented.slice(end + 1)].map((text) =>
      Buffer.from(text),
    ) as [Buffer, Buffer]
    const isProven = wanted.length === given.length && timingSafeEqual(wanted, given)
    return isProven ? sessionNamed(`run:${runId}`, { kind: 'agent', onlyRun: runId }) : null
  } catch {
    // Bytes that are no text.
    return null
  }
}

function proofOf(key: string, runId: string): string {
  return createHmac('sha256', key).update(`run ${runId}`).digest('base64url')
}

function hashOf(credential: string): string {
  return createHash('sha256').update(credential).digest('base64url')
}
