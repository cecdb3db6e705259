/** Explains codes for `pawl check --explain`: one of them, or all in one line each. */

import { editDistance } from '../../core/closest-name.ts'
import {
  denialCodes,
  errorCodes,
  gatewayCodes,
  refusalCodes,
  warningCodes,
} from '../../core/errors.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { type CodeHelp, codeHelp } from './code-help.ts'
import { replyHelp } from './reply-code-help.ts'

/** The word that stands for all codes. */
export const allCodes = 'list'

/** Codes that are suggested at once. */
const suggestedMax = 5
/** Characters in which a word of a code may differ from the one that is meant. */
const slipsMax = 2

const roles: readonly (readonly [role: string, plural: string, codes: readonly string[]])[] = [
  ['error', 'errors', errorCodes],
  ['warning', 'warnings', warningCodes],
  ['refusal', 'refusals', refusalCodes],
  ['denial', 'denials', denialCodes],
  ['gateway', 'gateway codes', gatewayCodes],
]

const help: Readonly<Record<string, CodeHelp>> = { ...replyHelp, ...codeHelp }

/** A code in words, or every code; a fault with what may be meant when there is no such code. */
export function explainCode(written: string): string {
  if (written.toLowerCase() === allCodes) return listCodes()
  const code = written.toUpperCase().replaceAll('-', '_')
  const found = Object.hasOwn(help, code) ? help[code] : undefined
  if (found === undefined) throw unknownCode(written, code)
  const kinds = roles.flatMap(([role, , codes]) => (codes.includes(code) ? [role] : []))
  return `${code} (${kinds.join(', ')})\n  ${found.about}.\n  ${found.advice}.\n`
}

function listCodes(): string {
  const width = Math.max(...Object.keys(help).map((code) => code.length))
  const groups = roles.map(([, plural, codes]) => {
    const lines = codes.map((code) => `  ${code.padEnd(width)}  ${help[code]?.about ?? ''}\n`)
    return `${plural}:\n${lines.join('')}`
  })
  return groups.join('\n')
}

function unknownCode(written: string, code: string): PawlError {
  const meant = meantBy(code).map((one) => `\`${one}\``)
  const all = `\`pawl check --explain ${allCodes}\` lists all codes`
  const last = meant.pop()
  const named = meant.length === 0 ? last : `${meant.join(', ')} or ${last}`
  const hint = last === undefined ? all : `did you mean ${named}? ${all}`
  return new PawlError('USAGE', `unknown code \`${written}\``, { hint })
}

/** The codes that share the most words with the one that was written, slips forgiven. */
function meantBy(written: string): string[] {
  const words = written.split('_').filter((word) => word.length > slipsMax)
  const scored = Object.keys(help).flatMap((code) => {
    const shared = words.filter((word) => code.split('_').some((part) => isNear(word, part)))
    return shared.length === 0 ? [] : [{ code, shared: shared.length }]
  })
  const most = Math.max(0, ...scored.map((one) => one.shared))
  const best = scored.filter((one) => one.shared === most).map((one) => one.code)
  const distance = (code: string): number => editDistance(written, code)
  return best.sort((a, b) => distance(a) - distance(b)).slice(0, suggestedMax)
}

function isNear(word: string, part: string): boolean {
  const max = Math.min(word.length, part.length) > 2 * slipsMax ? slipsMax : 0
  return editDistance(word, part, max) <= max
}
