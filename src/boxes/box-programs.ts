/**
 * Programs that start in a box while a call is made. The helper counts them, and this notes where
 * each call begins. Calls that are made at once share what starts meanwhile.
 */
import type { RanPrograms } from '../core/engine/call.ts'
import type { BoxHints } from '../runtime/boxes/boxes-port.ts'
import type { BoxControl } from './box-control.ts'

/** Calls that are open at once, as far as they are noted. */
const callsMax = 200
/** More than any session starts. */
const never = String(Number.MAX_SAFE_INTEGER)

type ProgramsLook = Pick<BoxHints, 'beginPrograms' | 'endPrograms'>

/** `control`: null while the box was not started yet. */
export function openProgramsLook(control: () => BoxControl | null): ProgramsLook {
  const begun = new Map<string, number>()
  return {
    beginPrograms: async (key) => {
      const answer = await control()?.ask(['programs', never])
      if (answer?.kind !== 'ran') return
      begun.delete(key)
      begun.set(key, answer.total)
      const [oldest] = begun.keys()
      if (begun.size > callsMax && oldest !== undefined) begun.delete(oldest)
    },
    endPrograms: async (key) => {
      const since = begun.get(key)
      begun.delete(key)
      if (since === undefined) return null
      const answer = await control()?.ask(['programs', String(since)])
      if (answer?.kind !== 'ran') return null
      return ranOf(answer, answer.total - since)
    },
  }
}

function ranOf({ programs }: Pick<RanPrograms, 'programs'>, all: number): RanPrograms | null {
  const more = all - programs.reduce((sum, { count }) => sum + count, 0)
  if (all <= 0) return null
  return { programs, ...(more > 0 ? { more } : {}) }
}
