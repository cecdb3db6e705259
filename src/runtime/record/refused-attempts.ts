/**
 * Attempts that were refused because a credential was not good for them: counted, kept in the
 * store, and told by `pawl doctor` and `pawl status`. An attempt has no other effect, so this is
 * its only trace. Knows names and counts. Must not know transports, or keep what was sent.
 */
import type { Clock } from '../clock.ts'
import { errorCodeOf } from '../error-code.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import type { DocumentStore } from '../ports.ts'

export type RefusedAttempts = {
  /** Counts one. Returns at once, and never throws. */
  readonly note: (attempt: RefusedAttempt) => void
  /** What was refused in the last week, the latest first, for people. */
  readonly list: () => readonly string[]
  /** Reads what earlier daemons have counted. */
  readonly load: () => Promise<void>
  /** Keeps what is new: the first of a kind at once, more of it once a minute. */
  readonly flush: () => Promise<void>
}

export type RefusedAttempt = {
  /** An operation, or what else was tried. */
  readonly what: string
  /** With what: for people. */
  readonly by: string
  readonly code: string
}

type Counted = { readonly count: number; readonly firstAt: number; readonly lastAt: number }
type Entry = { counted: Counted; keptAt: number; isDirty: boolean }

const collection = 'refused-attempts'
/** Kinds that are told apart: operations times codes. Beyond them all count as one. */
const kindsMax = 1_000
const againMs = 60_000
const toldMs = 7 * 86_400_000
const toldMax = 10

type AttemptTools = { readonly store: DocumentStore; readonly clock: Clock }

export function openRefusedAttempts({ store, clock }: AttemptTools): RefusedAttempts {
  const entries = new Map<string, Entry>()
  const keep = async (key: string, entry: Entry): Promise<void> => {
    const { counted } = entry
    entry.isDirty = false
    entry.keptAt = clock.now()
    const data = JSON.stringify(counted)
    const change = { collection, key, expected: null, data, at: clock.now() }
    await store.writeDocuments([change]).catch(() => {
      // The store says elsewhere that it does not work; what is counted is kept later.
      entry.isDirty = true
    })
  }
  return {
    note: ({ what, by, code }) => {
      const wanted = JSON.stringify([what, by, code])
      const isKnown = entries.has(wanted) || entries.size < kindsMax
      const key = isKnown ? wanted : JSON.stringify(['other requests', by, code])
      const now = clock.now()
      const { counted, keptAt } = entries.get(key) ?? { counted: null, keptAt: 0 }
      const { count = 0, firstAt = now } = counted ?? {}
      entries.set(key, {
        ...{ counted: { count: count + 1, firstAt, lastAt: now }, keptAt, isDirty: true },
      })
    },
    list: () => {
      const since = clock.now() - toldMs
      const fresh = [...entries]
        .filter(([, { counted }]) => counted.lastAt >= since)
        .toSorted(([, a], [, b]) => b.counted.lastAt - a.counted.lastAt)
      if (fresh.length === 0) return []
      const all = fresh.reduce((sum, [, { counted }]) => sum + counted.count, 0)
      const told = fresh.slice(0, toldMax).map(([key, { counted }]) => lineOf(key, counted))
      const which = fresh.length > told.length ? `; the latest ${toldMax} kinds follow` : ''
      return [`attempts that no credential was good for: ${all} refused${which}`, ...told]
    },
    load: async () => {
      const query = { collection, prefix: '', after: null, limit: kindsMax }
      for (const { key, data } of (await store.listDocuments(query)).items) {
        // WHY the cast: nobody else writes into this collection.
        const counted = JSON.parse(data) as Counted
        entries.set(key, { counted, keptAt: counted.lastAt, isDirty: false })
      }
    },
    flush: async () => {
      for (const [key, entry] of entries) {
        if (entry.isDirty && clock.now() - entry.keptAt >= againMs) await keep(key, entry)
      }
    },
  }
}

function lineOf(key: string, { count, lastAt }: Counted): string {
  const [what, by, code] = JSON.parse(key) as [string, string, string]
  const times = count === 1 ? 'once' : `${count} times`
  const last = new Date(lastAt).toISOString().replace(/\.\d+Z$/, 'Z')
  return `refused ${times}: \`${what}\` with ${by} (${code}, last ${last})`
}

/** Steps whose refusal leaves a trace here; a refused decision leaves one in its run. */
const counted = ['begin', 'add', 'remove', 'askConfirmation', 'confirm', 'askDecision'] as const

/** The passkeys, with every refused step counted. */
export function countingRefusals(passkeys: Passkeys, attempts: RefusedAttempts): Passkeys {
  const note = (what: string) => (fault: unknown) => {
    const code = errorCodeOf(fault)
    const by = "a person's token or sign-in"
    if (code === 'PASSKEY_INVALID') attempts.note({ what: `passkeys.${what}`, by, code })
    throw fault
  }
  const counting = counted.map((name) => {
    // WHY the cast: the compiler cannot see that name, arguments and answer are of one kind.
    const act = passkeys[name] as (...given: readonly unknown[]) => Promise<unknown>
    return [name, (...given: readonly unknown[]) => act(...given).catch(note(name))]
  })
  return { ...passkeys, ...Object.fromEntries(counting) }
}
