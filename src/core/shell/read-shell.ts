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
/** How many signs that part commands or join numbers it may have, quoted or not. */
const partsMax = 8_000
/** How many lines. */
const linesMax = 12_000
/** How many signs of redirection. */
const arrowsMax = 500
/** How many signs of assigning and expanding. */
const valuesMax = 8_000
/** How many signs of patterns and braces: outside of quotes, more are too many nodes anyway. */
const patternsMax = 12_000
/** How many quotes: two for each quoted part, which is a node. */
const quotesMax = 24_000

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
  let round = 0
  let curly = 0
  let parts = 0
  let lines = 0
  let arrows = 0
  let values = 0
  let patterns = 0
  let quotes = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 40) round += 1
    else if (code === 41) round = round > 0 ? round - 1 : 0
    else if (code === 123) {
      curly += 1
      patterns += 1
    } else if (code === 125) curly = curly > 0 ? curly - 1 : 0
    else if (code === 10) lines += 1
    else if (code === 60 || code === 62) arrows += 1
    else if (code === 61 || code === 36) values += 1
    else if (code === 59 || code === 124 || code === 38 || code === 96 || code === 43) parts += 1
    else if (code === 42 || code === 63 || code === 91) patterns += 1
    else if (code === 34 || code === 39) quotes += 1
    if (round > bracketsDeepMax || curly > bracketsDeepMax || parts > partsMax) return true
    if (arrows > arrowsMax || values > valuesMax) return true
    if (patterns > patternsMax || quotes > quotesMax || lines > linesMax) return true
  }
  return false
}
