/**
 * Text that is typed into a program which is already running, and programs that wait for such
 * text. Nobody can read it as a command: it comes in pieces, and what runs there decides what it
 * means.
 * Knows inputs and readings. Must not know stages.
 */
import { asObject, type JsonObject, own } from '../json.ts'
import { grammarOf } from '../shell/program-grammar.ts'
import type { Hidden, ShellReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName, shells, strangeShells } from '../shell/wrappers.ts'

/** The reading with what typing hides; asking a program for more output types nothing. */
export function withTyping(reading: ShellReading, input: JsonObject): ShellReading {
  if (!reading.ok) return reading
  const typed = own(asObject(own(input, 'action')) ?? input, 'chars')
  const hidden: Hidden[] = []
  if (typeof typed === 'string' && typed !== '') {
    const reason = 'it is typed into a program that is already running'
    hidden.push({ kind: 'code', reason, token: typed })
  }
  const isFed = reading.redirections.some(({ kind }) => kind === 'read')
  const waiting = isFed ? undefined : reading.commands.find(waitsForText)
  if (waiting !== undefined) {
    const reason = 'it runs whatever is typed into it later'
    hidden.push({ kind: 'code', reason, token: waiting.text })
  }
  return hidden.length === 0 ? reading : { ...reading, hidden: [...reading.hidden, ...hidden] }
}

/** A shell or an interpreter that is given nothing to run. */
function waitsForText(command: SimpleCommand): boolean {
  const { words, starts, stdin, isPiped } = command
  const hasOperand = starts.some((start, at) => at > 0 && !start.startsWith('-'))
  if (hasOperand && !starts.includes('-i')) return false
  const name = baseName(words[0] ?? '')
  const isShell = shells.has(name) || strangeShells.has(name)
  if (!isShell && grammarOf(name)?.use !== 'runs') return false
  if (stdin !== null || isPiped) return false
  const rest = starts.slice(1)
  if (rest.some((start) => /^--(help|version)$|^-V$/.test(start))) return false
  if (rest.includes('-i')) return true
  const givesCode = isShell ? /^-\w*c/ : /^-\w*[cemprES]|^--\w/
  return rest.every((start) => /^-/.test(start) && !givesCode.test(start)) && !asksOnly(name, rest)
}

/** `node -v` and the like tell something and end. */
function asksOnly(name: string, rest: readonly string[]): boolean {
  return !shells.has(name) && rest.length === 1 && /^-[vh]$/.test(rest[0] ?? '')
}
