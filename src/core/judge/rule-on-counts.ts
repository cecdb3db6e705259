/**
 * Is there room for one more call: calls, bytes of results, files edited?
 */

import type { Call, RunState } from '../engine/types.ts'
import type { Stage } from '../machine/machine.ts'
import type { StageDenial } from './stage-denial.ts'

type Standing = { readonly stage: Stage; readonly state: RunState }

/** Whether a call is none of the work that is counted: it is Pawl's, or bookkeeping of the host. */
export function isUncounted({ isOwn, bookkeeping }: Call): boolean {
  return isOwn || (bookkeeping !== undefined && bookkeeping.kind !== 'servers')
}

/** The denial of a call for which a limit of the stage leaves no room. */
export function ruleOnCounts(standing: Standing, call: Call): StageDenial | null {
  const { stage, state } = standing
  const { callsMax, bytesMax, filesMax } = stage.rule
  if (callsMax !== null && state.counts.calls >= callsMax) {
    const used = usedUp(`\`${stage.name}\` allows ${callsMax} calls`)
    return { code: 'CALLS_EXHAUSTED', ...used, field: 'callsMax' }
  }
  if (bytesMax !== null && state.counts.bytes >= bytesMax) {
    const used = usedUp(`\`${stage.name}\` allows ${bytesMax} bytes of results`)
    return { code: 'BYTES_EXHAUSTED', ...used, field: 'bytesMax' }
  }
  return filesMax === null ? null : ruleOnFiles(standing, call, filesMax)
}

function usedUp(what: string): Pick<StageDenial, 'reason' | 'hint'> {
  return { reason: `${what}, and all of them are used`, hint: '' }
}

/** Files edited, and those of calls not yet reported: a place is kept until the report. */
export function touchedFiles({ counts, openCalls, visit }: RunState): readonly string[] {
  const open = openCalls.filter((call) => call.visit === visit)
  return [...new Set([...counts.files, ...open.flatMap((call) => call.edits)])]
}

function ruleOnFiles({ stage, state }: Standing, call: Call, filesMax: number): StageDenial | null {
  if (call.edits.length === 0) return null
  const touched = new Set(touchedFiles(state))
  const before = touched.size
  for (const file of call.edits) touched.add(file)
  if (touched.size === before || touched.size <= filesMax) return null
  const count = filesMax === 1 ? '1 file' : `${filesMax} files`
  const reason = `\`${stage.name}\` allows edits to ${count}, and that limit is reached`
  return { code: 'TOO_MANY_FILES', reason, hint: '', field: 'filesMax' }
}
