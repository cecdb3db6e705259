/**
 * Programs in the languages of `sed` and `awk`: do they run other programs or write files? A rough
 * check that says yes only on plain signs.
 */

type TextProgram = { readonly runs: boolean; readonly writes: boolean }

const tame: TextProgram = { runs: false, writes: false }

/** The most characters of a program that are looked at; a longer one is not trusted. */
const programCharsMax = 20_000

/** What a script of `sed` does beside editing its stream. */
export function readSed(script: string): TextProgram {
  if (script.length > programCharsMax) return { runs: true, writes: true }
  let runs = false
  let writes = false
  let i = 0
  while (i < script.length) {
    i = skipAddress(script, skipBlanks(script, i))
    const command = script[i]
    i += 1
    if (command === undefined) break
    if (command === 's' || command === 'y') {
      const end = skipParts(script, i, 2)
      const flags = /^[a-zA-Z0-9]*/.exec(script.slice(end))?.[0] ?? ''
      if (command === 's' && /e/.test(flags.split('w')[0] ?? '')) runs = true
      if (command === 's' && flags.includes('w') && !toStream(script, end)) writes = true
      i = flags.includes('w') ? lineEnd(script, end) : end + flags.length
    } else if (command === 'e') {
      runs = true
      i = lineEnd(script, i)
    } else if (command === 'w' || command === 'W') {
      if (!toStream(script, i - 1)) writes = true
      i = lineEnd(script, i)
    } else if (/[aicrR]/.test(command)) i = lineEnd(script, i)
    else if (/[btT:]/.test(command)) i = labelEnd(script, i)
  }
  return runs || writes ? { runs, writes } : tame
}

function skipBlanks(text: string, from: number): number {
  let i = from
  while (i < text.length && /[\s;{}]/.test(text[i] as string)) i += 1
  return i
}

/** A line number, `$`, `/re/` or `\cREc`, two of them with a comma, and `!`. */
function skipAddress(text: string, from: number): number {
  let i = from
  while (i < text.length) {
    const char = text[i] as string
    if (/[\d$,!~+\sIM]/.test(char)) i += 1
    else if (char === '/') i = skipParts(text, i, 1)
    else if (char === '\\' && i + 1 < text.length) i = skipParts(text, i + 1, 1)
    else break
  }
  return i
}

/** From a delimiter over so many parts, each ended by the delimiter again. */
function skipParts(text: string, from: number, parts: number): number {
  const delimiter = text[from]
  let left = parts
  let i = from + 1
  let inClass = false
  while (i < text.length && left > 0) {
    const char = text[i]
    if (char === '\\') i += 1
    else if (char === '[' && !inClass) inClass = true
    else if (char === ']' && inClass && text[i - 1] !== '[') inClass = false
    else if (char === delimiter && (!inClass || delimiter !== '/')) {
      left -= 1
      inClass = false
    }
    i += 1
  }
  return i
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

function labelEnd(text: string, from: number): number {
  let i = from
  while (i < text.length && !/[\n;}]/.test(text[i] as string)) i += 1
  return i
}

/** `w /dev/stdout` is printing. */
function toStream(text: string, from: number): boolean {
  return /^[a-zA-Z0-9]*\s*\/dev\/std(out|err)\s*$/.test(text.slice(from, lineEnd(text, from)))
}

/** What a program of `awk` does beside printing. */
export function readAwk(program: string): TextProgram {
  if (program.length > programCharsMax) return { runs: true, writes: true }
  const bare = program
    .replace(/(>>?|\|&?)\s*"\/dev\/std(out|err)"/g, '')
    .replace(/\\./g, '')
    .replace(/"[^"\n]*"/g, '""')
    .replace(/(^|[\s(,;{}~!&|])\/(?:[^/\n])*\//g, '$1 0 ')
    .replace(/#[^\n]*/g, '')
    .replace(/\|\|/g, ' ')
  const flat = withoutBrackets(bare)
  const runs =
    /\bsystem\s*\(/.test(bare) ||
    /\|\s*(?:&\s*)?getline\b/.test(bare) ||
    printsInto(flat, '|') ||
    /@load\b/.test(bare) ||
    /\|&/.test(bare)
  const writes = printsInto(flat, '>')
  return runs || writes ? { runs, writes } : tame
}

/** Whether a statement prints and goes on with this sign; one search per statement. */
function printsInto(program: string, sign: '|' | '>'): boolean {
  return program.split(/[;}\n]/).some((statement) => {
    const at = statement.search(/\bprintf?\b/)
    return at >= 0 && statement.includes(sign, at)
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
