/**
 * Programs that start in a box while a call is made. The helper counts them, and this notes where
 * each call begins. Calls that are made at once share what starts meanwhile.
 */
import type { RanPrograms } from '../core/engine/call.ts'
import { redact } from '../core/redact.ts'
import type { BoxHints } from '../runtime/boxes/boxes-port.ts'
import type { BoxControl } from './box-control.ts'
import { doorInBox } from './box-folder.ts'

/** Calls that are open at once, as far as they are noted. */
const callsMax = 200
/** More than any session starts. */
const never = String(Number.MAX_SAFE_INTEGER)

type ProgramsLook = Pick<BoxHints, 'beginPrograms' | 'endPrograms'>

type FindControl = () => BoxControl | null | Promise<BoxControl | null>

/** `control`: null if the box does not answer. */
export function openProgramsLook(control: FindControl): ProgramsLook {
  const begun = new Map<string, BegunCall>()
  /** Where the first of the calls began that are no longer noted. */
  let dropped: BegunCall | undefined
  return {
    beginPrograms: async (key) => {
      const answer = await (await control())?.ask(['programs', never])
      if (answer?.kind !== 'ran') return
      begun.delete(key)
      for (const one of begun.values()) one.isShared = true
      begun.set(key, { since: answer.total, isShared: begun.size > 0 })
      const [oldest] = begun
      if (begun.size <= callsMax || oldest === undefined) return
      // WHY not forgotten: code in the box could begin calls until the one that it is part of goes.
      dropped ??= { ...oldest[1], isShared: true }
      begun.delete(oldest[0])
    },
    endPrograms: async (key) => {
      const call = begun.get(key) ?? dropped
      begun.delete(key)
      if (call === undefined) return null
      const answer = await (await control())?.ask(['programs', String(call.since)])
      if (answer?.kind !== 'ran') return null
      const ran = ranOf(answer.programs, answer.total - call.since)
      return ran === null || !call.isShared ? ran : { ...ran, isShared: true }
    },
  }
}

type BegunCall = { readonly since: number; isShared: boolean }

/** Every call is asked about with it, before and after. */
const hookClient = `${doorInBox}/bin/pawl-hook`

function ranOf(started: RanPrograms['programs'], all: number): RanPrograms | null {
  const more = all - started.reduce((sum, { count }) => sum + count, 0)
  const programs = started
    .filter(({ path }) => path !== hookClient)
    .map((one) => ({ ...one, path: redact(one.path) }))
  if (programs.length === 0 && more <= 0) return null
  return { programs, ...(more > 0 ? { more } : {}) }
}
