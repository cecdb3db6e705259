/**
 * Reads a shell text the way bash does, without running it. Any failure gives `ok: false`; nothing
 * is thrown.
 */

import { findOdd, hasOdd } from './invisible-characters.ts'
import { parseShell } from './parse.ts'
import { type Facts, newFacts, settleDoubts } from './shell-facts.ts'
import type { ShellReading } from './shell-reading.ts'
import { singleCommandOf } from './single-command.ts'
import { walkScript } from './walk.ts'
import { settleLoops } from './working-folders.ts'
import { noteWrittenScripts } from './written-scripts.ts'

/** The longest text that is read. */
export const commandCharsMax = 65_536
/** How deep brackets may lie in one another, by a count that needs no parser. */
const bracketsDeepMax = 400
/**
 * How many of these characters a text may have, quoted or not: those that part commands or join
 * numbers, lines, redirections, assignments and expansions, patterns and braces, quotes.
 */
const signsMax: readonly (readonly [string, number])[] = [
  [';|&`+', 8_000],
  ['\n', 12_000],
  ['<>', 500],
  ['=$', 8_000],
  ['{*?[', 12_000],
  ['"\'', 24_000],
]
/** The limit that each character counts for, by its code; 0: none. */
const signOf = new Uint8Array(128)
for (const [at, [signs]] of signsMax.entries()) {
  for (const sign of signs) signOf[sign.charCodeAt(0)] = at + 1
}

/**
 * Reads a command; a text that bash would not read as it looks is not read at all. `start`: the
 * folder it starts in, seen from the workspace; null: it cannot be told.
 */
export function readShell(command: string, start: string | null = ''): ShellReading {
  if (command.length > commandCharsMax) {
    return no(`a command can have at most ${commandCharsMax} characters`, command.slice(0, 20))
  }
  const isOdd = hasOdd(command)
  if (isOdd) {
    const broken = findOdd(command, [{ begin: 0, end: command.length }])
    if (broken !== null) return no('a character that is not allowed in commands', broken)
  }
  if (isTooMuch(command)) return no('it has too many parts', command.slice(0, 20))
  try {
    return readTree(command, isOdd ? 'odd' : 'plain', start)
  } catch {
    // WHY: the parser is not ours. Whatever it stumbles over is a text nobody should trust.
    return no('the command cannot be parsed', command.slice(0, 20))
  }
}

function readTree(command: string, letters: 'odd' | 'plain', start: string | null): ShellReading {
  const parsed = parseShell(command)
  if (!parsed.ok) return no(parsed.reason, parsed.token)
  let facts = newFacts({ known: null, isOpaque: false })
  for (let round = 0; ; round += 1) {
    walkScript(parsed.script, facts, {
      dirs: [start],
      missed: null,
      isStraight: true,
      isSure: true,
      isInner: false,
      feed: { kind: 'none' },
      isOuter: true,
      source: command,
      depth: 0,
    })
    if (facts.problem !== null || !needsAnother(facts, round)) break
    const known = round + 1 < roundsMax ? facts.found : unknowns(facts)
    facts = newFacts({ known, isOpaque: facts.isOpaque })
  }
  if (facts.problem !== null) return no(facts.problem.reason, facts.problem.token)
  if (letters === 'odd') {
    const odd = findOdd(command, facts.quoted)
    if (odd !== null) return no('a character that is invisible or looks like a space', odd)
  }
  settleDoubts(facts)
  settleLoops(facts)
  noteWrittenScripts(facts)
  return {
    ok: true,
    text: command,
    start,
    commands: facts.commands,
    isPlain: facts.isPlain,
    redirections: facts.redirections,
    variablesRead: [...facts.reads],
    listsVariables: facts.listsVariables,
    emptiesVariables: facts.empties,
    variablesWritten: [...facts.writes.keys()],
    assignments: facts.assignments,
    prefixesRead: facts.prefixes,
    functions: facts.functions,
    hidden: facts.hidden,
    single: singleCommandOf(parsed.script),
  }
}

/** The most walks over one text: each one knows the values that the one before has found. */
const roundsMax = 4

/** Whether a variable that the text assigns is used in it, and something new is known of it. */
function needsAnother({ found, known, reads }: Facts, round: number): boolean {
  if (round >= roundsMax || found.size === 0) return false
  for (const [name, fact] of found) {
    if (name !== '@' && !reads.has(name)) continue
    const before = known?.get(name)
    if (before === undefined || before.values.length !== fact.values.length) return true
    if (before.isMade !== fact.isMade || before.count !== fact.count) return true
  }
  return false
}

/** Values that go on changing could be anything. */
function unknowns({ found }: Facts): Facts['known'] {
  return new Map([...found].map(([name, fact]) => [name, { ...fact, isMade: true, isSure: false }]))
}

function no(reason: string, token: string): ShellReading {
  return { ok: false, reason, token }
}

/**
 * WHY: a parser can take seconds over ten thousand open brackets. Quotes are not looked at: no
 * text that people write comes near these numbers, quoted or not.
 */
function isTooMuch(text: string): boolean {
  // The lowest of the limits: no sign can stand more often than there are letters.
  if (text.length <= bracketsDeepMax) return false
  const counts = new Uint32Array(signsMax.length + 1)
  let round = 0
  let curly = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code > 125) continue
    if (code === 40) round += 1
    else if (code === 41) round = Math.max(0, round - 1)
    else if (code === 123) curly += 1
    else if (code === 125) curly = Math.max(0, curly - 1)
    const sign = signOf[code] as number
    if (sign > 0) counts[sign] = (counts[sign] as number) + 1
    if (round > bracketsDeepMax || curly > bracketsDeepMax) return true
  }
  return signsMax.some(([, max], at) => (counts[at + 1] as number) > max)
}
