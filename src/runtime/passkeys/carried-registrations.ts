/**
 * The log of passkeys that a run is checked against: this store's own, or the one that an
 * exported run has brought along from another machine.
 */
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore, EventRecord, RunCopy } from '../ports.ts'
import { foldPasskeys, type PasskeyLog, readPasskeyLog } from './passkey-log.ts'
import { openSignatureCheck, verifyRegistrations } from './verify-signatures.ts'

const collection = 'passkey-log-of-run'

/** Whether any decision in a log is signed. */
export function hasSignatures(events: readonly EventRecord[]): boolean {
  return events.some(({ type, data }) => type.startsWith('approval.') && data.includes('"proof":{'))
}

/** The log for one run; a registration in it that nobody was entitled to is a fault. */
export async function registrationsFor(
  documents: DocumentStore,
  runId: string,
): Promise<PasskeyLog> {
  const brought = await documents.readDocument(collection, runId)
  const log =
    brought === null
      ? await readPasskeyLog(documents)
      : foldPasskeys(JSON.parse(brought.data) as readonly EventRecord[])
  const problem = await verifyRegistrations(log)
  if (problem === null) return log
  const message = `record ${problem.seq} of the log of passkeys: ${problem.problem}`
  throw new PawlError('LOG_BROKEN', message, { hint: 'no signature can be relied on' })
}

/** Whether a run is verified with keys that it brought along and that nobody registered here. */
export async function hasForeignKeys(documents: DocumentStore, runId: string): Promise<boolean> {
  const brought = await documents.readDocument(collection, runId)
  if (brought === null) return false
  const own = new Set((await readPasskeyLog(documents)).records.map(({ hash }) => hash))
  return (JSON.parse(brought.data) as readonly EventRecord[]).some(({ hash }) => !own.has(hash))
}

/** What an export of this run has to bring along. */
export async function carriedRegistrations(
  documents: DocumentStore,
  runId: string,
): Promise<readonly EventRecord[]> {
  return (await registrationsFor(documents, runId)).records
}

/** Proves the signatures of a run from elsewhere. Fault `LOG_BROKEN`. */
export async function checkCarried({ head, events, passkeys = [] }: RunCopy): Promise<void> {
  const log = foldPasskeys(passkeys)
  const unentitled = await verifyRegistrations(log)
  const check = openSignatureCheck(async () => log)
  const problem = unentitled ?? (await check.add(events))
  if (problem === null) return
  const where = `the log of \`${head.id}\` is damaged at record ${problem.seq}`
  const message = `${where}: ${problem.problem}`
  throw new PawlError('LOG_BROKEN', message, { hint: 'export it again' })
}

/** Keeps what a run has brought along, so that it can be verified here. */
export async function keepCarried(
  documents: DocumentStore,
  { head, passkeys }: RunCopy,
  at: number,
): Promise<void> {
  if (passkeys === undefined) return
  const data = JSON.stringify(passkeys)
  await documents.writeDocuments([{ collection, key: head.id, expected: null, data, at }])
}
