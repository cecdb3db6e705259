/**
 * The register in SQLite: a table that only grows, written in the transaction of what it tells of.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RegisterTip } from '../../runtime/record/ports.ts'
import { nextTip, printEntry, type RegisterEntry } from '../../runtime/record/register.ts'
import { asRecordOrNull } from './rows.ts'

export type Register = {
  /** Adds an entry; to be called inside a transaction. */
  readonly note: (entry: RegisterEntry) => void
  readonly noteText: (text: string) => RegisterTip
  readonly tip: () => RegisterTip | null
}

export function prepareRegister(db: DatabaseSync): Register {
  const last = db.prepare('SELECT seq, hash FROM register ORDER BY seq DESC LIMIT 1')
  const add = db.prepare('INSERT INTO register VALUES (?, ?, ?)')
  const tip = () => asRecordOrNull<RegisterTip>(last.get())
  const noteText = (text: string): RegisterTip => {
    const next = nextTip(tip(), text)
    add.run(next.seq, text, next.hash)
    return next
  }
  return { note: (entry) => void noteText(printEntry(entry)), noteText, tip }
}
