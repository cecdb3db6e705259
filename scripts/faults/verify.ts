/**
 * Checks that everything that was answered is in the logs, once, and that logs and heads agree.
 */

import { openMachineCache } from '../../src/runtime/definitions/machine-cache.ts'
import type { EventRecord, Store } from '../../src/runtime/ports.ts'
import { readAll } from '../../src/runtime/runs/load-run.ts'
import { rebuildAll, verifyLog } from '../../src/runtime/runs/log-maintenance.ts'
import { findStoredReply } from '../../src/runtime/runs/stored-reply.ts'
import { answerText, type ClientLog } from './load-clients.ts'

export type Losses = {
  /** Answers whose reply or events are not in the store. */
  lost: number
  /** Commands with events in more than one place, or another reply than was spoken. */
  doubled: number
  /** Runs whose log is broken or whose head is not what the log folds to. */
  differing: number
  readonly what: string[]
}

export async function verify(store: Store, book: ClientLog): Promise<Losses> {
  const losses: Losses = { lost: 0, doubled: 0, differing: 0, what: [] }
  for (const runId of book.runs) {
    const verified = await verifyLog(store, runId, null)
    if (!verified.ok) note(losses, 'differing', `${runId} ${verified.seq}: ${verified.problem}`)
    const byCommand = groupsOf(await readAll(store, runId), losses)
    for (const sent of book.sent) {
      if (sent.runId !== runId || sent.answer === null) continue
      // The door keeps the ids of an agent apart from those of a person.
      const commandId = `agent:${sent.commandId}`
      const kept = await findStoredReply(store, runId, commandId)
      if (kept === null) note(losses, 'lost', `${runId} ${sent.commandId}: no reply`)
      else if (!isDenial(kept.reply) && answerText(kept.reply) !== sent.answer) {
        note(losses, 'doubled', `${runId} ${sent.commandId}: another reply`)
      } else if (byCommand.get(commandId) !== kept.seq) {
        note(losses, 'lost', `${runId} ${sent.commandId}: no events up to ${kept.seq}`)
      }
    }
  }
  const { changed, broken } = await rebuildAll(store, openMachineCache(store))
  for (const runId of changed) note(losses, 'differing', `${runId}: the head was not its fold`)
  for (const { runId, problem } of broken) note(losses, 'differing', `${runId}: ${problem}`)
  return losses
}

/** A denied call was not made, so that it is judged again when it is sent again. */
function isDenial(reply: object): boolean {
  return 'verdict' in reply && reply.verdict === 'deny'
}

/** The last record of every command; one that comes back later was carried out twice. */
function groupsOf(events: readonly EventRecord[], losses: Losses): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  let before: string | null = null
  for (const { commandId, seq } of events) {
    if (commandId !== before && last.has(commandId)) {
      note(losses, 'doubled', `${commandId} has events in two places`)
    }
    last.set(commandId, seq)
    before = commandId
  }
  return last
}

function note(losses: Losses, kind: 'lost' | 'doubled' | 'differing', what: string): void {
  losses[kind] += 1
  if (losses.what.length < 20) losses.what.push(`${kind}: ${what}`)
}
