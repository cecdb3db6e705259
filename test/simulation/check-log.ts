/**
 * What must be true of every log, whatever happened: read from the log alone, event by event.
 */
import type { Family } from '../../src/core/engine/family.ts'
import { foldFamily, unbornFamily } from '../../src/core/engine/fold-family.ts'
import { hasEnded } from '../../src/core/engine/is-running.ts'
import type { Event, RunState } from '../../src/core/engine/types.ts'
import type { EventRecord } from '../../src/runtime/ports.ts'
import { openChainCheck } from '../../src/runtime/runs/hash-chain.ts'
import { recordedIn } from '../../src/runtime/runs/load-run.ts'
import { Broken, hold } from './broken-promise.ts'
import { openLimitCheck } from './check-limits.ts'
import { shelf } from './sample-definitions.ts'
import type { World } from './world.ts'

export type CheckedLog = {
  readonly family: Family
  /** Every question that was put, and the note of its decision where a person decided. */
  readonly questions: ReadonlyMap<string, string | null>
}

/** Reads a log; what is wrong in it ends the schedule. */
export function checkLog(
  runId: string,
  events: readonly EventRecord[],
  overlay: World['overlay'],
): CheckedLog {
  holdChain(runId, events)
  holdCommands(runId, events)
  const approvals = openApprovalCheck()
  const limits = openLimitCheck(overlay)
  let family = unbornFamily(runId)
  for (const record of events) {
    const recorded = recordedIn(record)
    const before = family
    family = foldFamily(before, [recorded], shelf.get)
    const [was, is] = [stateIn(before, record.member), stateIn(family, record.member)]
    if (was !== null && is !== null) holdEnd(was, is, record)
    approvals.add(record, recorded.event)
    limits.add(record, recorded.event, family)
  }
  return { family, questions: approvals.questions() }
}

function stateIn(family: Family, runId: string): RunState | null {
  return family.members.find((member) => member.runId === runId)?.state ?? null
}

/** Gapless, chained, and never back in time. */
function holdChain(runId: string, events: readonly EventRecord[]): void {
  const check = openChainCheck(runId)
  const verified = check.add(events) ?? check.end(null)
  if (!verified.ok) throw new Broken(`${runId} at ${verified.seq}: ${verified.problem}`)
  for (const [index, { at, seq }] of events.entries()) {
    const before = events[index - 1]?.at ?? at
    hold(at >= before, () => `${runId}: record ${seq} is ${before - at} ms older than the last`)
  }
}

/** What one command did stands together, once. */
function holdCommands(runId: string, events: readonly EventRecord[]): void {
  const done = new Set<string>()
  let current: string | null = null
  for (const { commandId, seq } of events) {
    if (commandId === current) continue
    hold(!done.has(commandId), () => `${runId}: \`${commandId}\` has events again at ${seq}`)
    done.add(commandId)
    current = commandId
  }
}

/** A run that has ended stays where and as it ended. */
function holdEnd(was: RunState, is: RunState, { seq, member }: EventRecord): void {
  if (!hasEnded(was)) return
  const isStill = is.status === was.status && is.stage === was.stage && is.vars === was.vars
  hold(isStill, () => `${member} had ended and moved at ${seq}`)
}

/** One decision for each question, by a person or by the clock; one use of each grant. */
function openApprovalCheck() {
  const notes = new Map<string, string | null>()
  const decided = new Set<string>()
  const granted = new Set<string>()
  const used = new Set<string>()
  const once = (set: Set<string>, id: string, what: string): void => {
    hold(!set.has(id), () => `${id} was ${what} twice`)
    set.add(id)
  }
  return {
    questions: (): ReadonlyMap<string, string | null> => notes,
    add: ({ actor, seq }: EventRecord, event: Event): void => {
      if (event.type === 'approval.requested') notes.set(event.approval.id, null)
      if (event.type === 'approval.granted' || event.type === 'approval.refused') {
        const isPerson = event.by.kind === 'person' && actor.startsWith('person:')
        hold(isPerson, () => `record ${seq}: ${actor} decided ${event.approvalId}`)
        notes.set(event.approvalId, event.note)
      }
      if (event.type === 'approval.granted') granted.add(event.approvalId)
      if ('approvalId' in event) once(decided, event.approvalId, 'decided')
      if (event.type === 'call.allowed' && event.grant !== undefined) {
        const id = event.grant
        hold(granted.has(id), () => `record ${seq} uses ${id}, which nobody granted`)
        once(used, id, 'used')
      }
    },
  }
}
