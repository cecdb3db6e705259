/**
 * Is there room for one more call: calls, bytes of results, files edited?
 */
import type { Stage } from '../machine/machine.ts'
import type { Call, Denial, RunState } from './types.ts'

type Standing = { readonly stage: Stage; readonly state: RunState }

/** The denial of a call for which a limit of the stage leaves no room. */
export function ruleOnCounts(standing: Standing, call: Call): Denial | null {
  const { stage, state } = standing
  const { callsMax, bytesMax, filesMax } = stage.rule
  if (callsMax !== null && state.counts.calls >= callsMax) {
    return usedUp('CALLS_EXHAUSTED', `\`${stage.name}\` allows ${callsMax} calls`)
  }
  if (bytesMax !== null && state.counts.bytes >= bytesMax) {
    return usedUp('BYTES_EXHAUSTED', `\`${stage.name}\` allows ${bytesMax} bytes of results`)
  }
  return filesMax === null ? null : ruleOnFiles(standing, call, filesMax)
}

function usedUp(code: Denial['code'], what: string): Denial {
  return { code, reason: `${what} and they are used up`, hint: '' }
}

/** Files edited, and those of calls not yet reported: a place is kept until the report. */
export function touchedFiles({ counts, openCalls, visit }: RunState): readonly string[] {
  const open = openCalls.filter((call) => call.visit === visit)
  return [...new Set([...counts.files, ...open.flatMap((call) => call.edits)])]
}

function ruleOnFiles({ stage, state }: Standing, call: Call, filesMax: number): Denial | null {
  if (call.edits.length === 0) return null
  const touched = new Set(touchedFiles(state))
  const before = touched.size
  for (const file of call.edits) touched.add(file)
  if (touched.size === before || touched.size <= filesMax) return null
  const count = filesMax === 1 ? '1 file' : `${filesMax} files`
  const reason = `\`${stage.name}\` allows edits to ${count}, and no more can be added`
  return { code: 'TOO_MANY_FILES', reason, hint: '' }
}
