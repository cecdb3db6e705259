/**
 * Programs in the languages of `sed`, `awk` and the clients of databases: do they run other
 * programs or write files?
 */
import { anyOf } from './alternation-pattern.ts'
import names from './names.json' with { type: 'json' }

/** The most characters of a program that are looked at; a longer one is not trusted. */
const programCharsMax = 20_000

/** Whether a script of `sed` runs a program or writes a file. */
export function actsInSed(script: string): boolean {
  if (script.length > programCharsMax) return true
  // WHY twice: whether a delimiter inside of `[…]` ends a part depends on the version of `sed`.
  return scanSed(script, 'classes') || scanSed(script, 'plain')
}

type Brackets = 'classes' | 'plain'

const blanksHere = /[\s;{}]*/y
const restOfLine = /[^\n]*/y
const label = /[^\n;}]*/y
/** `q5`, `l 80`: a number behind a command. */
const digits = /(?:[ \t]*\d+)?/y

/** A text of `awk`; it ends in its line. */
const quotedText = /"(?:[^"\\\n]|\\[\s\S])*"/y

/** Where what begins here by a pattern ends. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

function scanSed(script: string, brackets: Brackets): boolean {
  let runs = false
  let i = 0
  while (i < script.length) {
    i = skipAddress(script, endOf(blanksHere, script, i), brackets)
    const command = script[i]
    i += 1
    if (command === undefined) break
    if (command === 's' || command === 'y') {
      const end = skipParts(script, i, { parts: 2, brackets })
      const flags = /^[a-zA-Z0-9 ]*/.exec(script.slice(end))?.[0] ?? ''
      const [before = ''] = flags.split('w')
      if (command === 's' && before.includes('e')) runs = true
      const isWriting = command === 's' && flags.includes('w')
      // A file to write is opened before the rest is read.
      if (isWriting && !toStream(script, end + before.length)) return true
      i = isWriting ? endOf(restOfLine, script, end) : end + flags.length
    } else if (command === 'e') {
      runs = true
      i = endOf(restOfLine, script, i)
    } else if (command === 'w' || command === 'W') {
      if (!toStream(script, i - 1)) return true
      i = endOf(restOfLine, script, i)
    } else if (/[#aicrRv]/.test(command)) i = endOf(restOfLine, script, i)
    else if (/[btT:]/.test(command)) i = endOf(label, script, i)
    // `sed` would not take it, and does nothing.
    else if (!/[dDgGhHlnNpPqQxzF=]/.test(command)) return false
    else i = endOf(digits, script, i)
  }
  return runs
}

/** A line number, `$`, `/re/` or `\cREc`, two of them with a comma, and `!`. */
function skipAddress(text: string, from: number, brackets: Brackets): number {
  let i = from
  while (i < text.length) {
    const char = text[i] as string
    if (/[\d$,!~+\sIM{]/.test(char)) i += 1
    else if (char === '/') i = skipParts(text, i, { parts: 1, brackets })
    else if (char === '\\' && i + 1 < text.length)
      i = skipParts(text, i + 1, { parts: 1, brackets })
    else break
  }
  return i
}

/** From a delimiter over so many parts, each ended by the delimiter again. */
function skipParts(
  text: string,
  from: number,
  { parts, brackets }: { readonly parts: number; readonly brackets: Brackets },
): number {
  const delimiter = text[from]
  let left = parts
  let i = from + 1
  let classAt = -1
  while (i < text.length && left > 0) {
    const char = text[i]
    if (classAt >= 0) {
      // Right behind `[` or `[^` a bracket is a letter.
      if (char === ']' && !/^\^?$/.test(text.slice(classAt + 1, i))) classAt = -1
    } else if (char === '\\') i += 1
    else if (char === '[' && brackets === 'classes' && left === parts) classAt = i
    else if (char === delimiter) left -= 1
    i += 1
  }
  return i
}

/** `w /dev/stdout` is printing. */
function toStream(text: string, from: number): boolean {
  return /^[a-zA-Z0-9]*\s*\/dev\/std(out|err)\s*$/.test(
    text.slice(from, endOf(restOfLine, text, from)),
  )
}

/** Whether a program of `awk` runs another one or writes a file. */
export function actsInAwk(program: string): boolean {
  if (program.length > programCharsMax) return true
  const bare = flatAwk(program)
  if (bare === null || /\bsystem\b|[@`]|\|&/.test(bare)) return true
  if (/\bgetline\b/.test(bare) && bare.includes('|')) return true
  return prints(withoutBrackets(bare), /\bprintf?\b/)
}

/** Whether an operand of `mlr` (a verb, an expression, a file) runs a program or writes a file. */
export function actsInMiller(text: string): boolean {
  if (text.length > programCharsMax || /^(?:tee|split)$/.test(text)) return true
  return /\b(?:system|exec)\b/.test(text) || prints(text, /\b(?:print|emit|tee|e?dump)/)
}

/**
 * A program of `awk` with its texts and expressions taken out: `""` and `0` stand in their places.
 * Streams of its own (`> "/dev/stderr"`) are taken out with them. Null: it has no end.
 */
function flatAwk(program: string): string | null {
  // Blanks mean nothing here, and many of them would be looked at again and again.
  const text = program.replaceAll(/\\\r?\n/g, ' ').replaceAll(/[ \t\r\f\v]+/g, ' ')
  let out = ''
  let i = 0
  /** For each open bracket, whether a statement follows it, and not a value. */
  const heads: boolean[] = []
  let isHead = false
  while (i < text.length) {
    const char = text[i] as string
    if (char === '(') heads.push(/\b(if|while|for) ?$/.test(out.slice(-8)))
    else if (char === ')') isHead = heads.pop() ?? false
    if (char === '#') i = endOf(restOfLine, text, i)
    else if (char === '"') {
      const end = endOf(quotedText, text, i)
      if (end === i) return null
      const isOutput = /^"\/dev\/std(out|err)"$/.test(text.slice(i, end))
      out = isOutput ? out.replace(/(>>?|\|&?) ?$/, '') : `${out}""`
      i = end
    } else if (char === '/' && unclearSlash.test(out.slice(-20))) return null
    else if (char === '/' && ((isHead && /\) ?$/.test(out)) || startsExpression(out))) {
      const end = expressionEnd(text, i)
      if (end < 0) return null
      out += ' 0 '
      i = end
    } else {
      out += char === '|' && text[i + 1] === '|' ? ' or ' : char
      i += char === '|' && text[i + 1] === '|' ? 2 : 1
    }
  }
  return out
}

/**
 * A slash behind these divides in one `awk` and begins an expression in another: words that only
 * some of them know, and a line that ends with a value.
 */
const unclearSlash = /(?:\+\+|--|\b(?:case|switch|getline)) ?$|[\w)\]"] ?\n\s*$/

/** Behind a value a slash divides; everywhere else it begins an expression. */
function startsExpression(before: string): boolean {
  // The last word is enough.
  const text = before.slice(-20).trimEnd()
  return /^$|[^\w)\]"]$|\b(?:print|printf|return|in|else|do|exit|delete)$/.test(text)
}

function expressionEnd(text: string, from: number): number {
  let isClass = false
  for (let i = from + 1; i < text.length && text[i] !== '\n'; i += 1) {
    if (text[i] === '\\') i += 1
    else if (text[i] === '[' && !isClass) {
      isClass = true
      if (text[i + 1] === '^') i += 1
      if (text[i + 1] === ']') i += 1
    } else if (text[i] === ']') isClass = false
    else if (text[i] === '/' && !isClass) return i + 1
  }
  return -1
}

/** Whether a statement prints into a program or a file; one search per statement. */
function prints(program: string, printing: RegExp): boolean {
  return program.split(/[;}\n]/).some((statement) => {
    const at = statement.search(printing)
    return at >= 0 && /[|>]/.test(statement.slice(at))
  })
}

/** Without what stands in round brackets: a `>` in there compares. */
function withoutBrackets(text: string): string {
  let depth = 0
  let out = ''
  for (const char of text) {
    if (char === '(') depth += 1
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) out += char
  }
  return out
}

// Blanks of one line only: across empty lines, each of many would look at all that follow.
const blanks = '[^\\S\\n\\r\\u2028\\u2029]*'
const sqliteDoor = new RegExp(anyOf(names.sqliteDoors, `^${blanks}\\.(?:`, ')\\b').source, 'im')
const sqliteCall = /\b(writefile|load_extension|edit|fts3_tokenizer)\s*\(/i
const psqlDoor = anyOf(names.psqlDoors, '\\\\(?:', "|!)|\\bprogram\\b|\\bto\\s+'")
const mysqlDoor =
  /\\!|\\[eTP]\b|(^|;)\s*(system|source|pager|tee|edit|\\\.)\s|\binto\s+(out|dump)file\b/i

const readingStatement = anyOf(names.readingSql, '^(?:', ')(?!\\w)')
const writingWord = anyOf(names.writingSql, '\\b(?:', ')\\b')

/** What comments, escapes and other quotes begin with: a quote behind it may be a letter. */
const otherQuotes = new RegExp(`["\`\\\\$#[]|--|/\\*|^${blanks}\\..*'`, 'm')
/** A command of the client itself ends with its line, whatever stands in it. */
const clientLine = new RegExp(`^${blanks}[.\\\\].*$`, 'gm')
/** Without a value, and none of those that do something at once. */
const askingPragma = anyOf(names.askingPragmas, '^pragma\\s+(?:\\w+\\.)?(?:', ')$')

/** Whether statements for a database only ask it something. */
export function onlyAsks(text: string): boolean {
  if (text.length > programCharsMax) return false
  // Where quotes may mean something else, a text between them is looked at like everything.
  const bare = otherQuotes.test(text) ? text : text.replace(/'(?:[^']|'')*'/g, "''")
  return bare
    .replace(clientLine, ';$&;')
    .split(';')
    .every((part) => {
      const statement = part.trim().toLowerCase()
      if (statement === '') return true
      if (statement.startsWith('pragma')) return askingPragma.test(statement)
      return readingStatement.test(statement) && !writingWord.test(statement)
    })
}

/** Whether what a client of a database is told is meant for the shell, or for a file. */
export function readSql(program: string, text: string): boolean {
  if (text.length > programCharsMax) return true
  if (program === 'psql') return psqlDoor.test(text)
  if (program === 'mysql' || program === 'mariadb') return mysqlDoor.test(text)
  return sqliteDoor.test(text) || sqliteCall.test(text)
}
