/** How a shell is called: which script it runs, and where that comes from. */
import type { ReadWord } from './expand-word.ts'
import { type Feed, hide, type Inner, scriptOf, streamOf } from './unwrap-result.ts'

/** What the options of a shell ask for. */
export type ShellCall = {
  /** Its first operand is a script (`-c`). */
  readonly takesScript: boolean
  /** It runs what stands on its input, whatever its operands are (`-s`). */
  readonly readsInput: boolean
  /** It only looks for mistakes (`-n`), and nothing takes that back. */
  readonly isChecking: boolean
  /** It runs a file before anything else. */
  readonly loadsFile: boolean
  /** It only says what it is. */
  readonly isAsking: boolean
  /** The first word that is no option; the number of words: there is none. */
  readonly operandAt: number
}

/** The call of a shell by what its words begin with. */
export function shellCallOf(starts: readonly string[]): ShellCall {
  let letters = ''
  let loadsFile = false
  let isAsking = false
  let at = 1
  for (; at < starts.length && !isAsking; at += 1) {
    const start = starts[at] as string
    if (start === '--' || start === '-') {
      at += 1
      break
    }
    if (!/^[-+]./.test(start)) break
    isAsking = /^--(help|version)$/.test(start)
    if (/^--?(rcfile|init-file)/.test(start)) {
      loadsFile = true
      if (!start.includes('=')) at += 1
    } else if (!start.startsWith('--')) {
      if (start.startsWith('-')) letters += start
      // The name of a setting follows: `-euo pipefail`. WHY at the end only: `-login` is a word.
      if (/o$/i.test(start)) at += 1
    }
  }
  const isTakenBack = starts.some((start) => /^\+[a-z]*[no]/.test(start))
  return {
    takesScript: letters.includes('c'),
    readsInput: letters.includes('s'),
    isChecking: letters.includes('n') && !isTakenBack,
    loadsFile,
    isAsking,
    operandAt: Math.min(at, starts.length),
  }
}

/** What a shell runs: its `-c` script, or what it is fed; a file is a script that nobody reads. */
export function unwrapShell(words: readonly ReadWord[], feed: Feed): readonly Inner[] {
  const call = shellCallOf(words.map(({ value, start }) => value ?? (start === '-' ? '-x' : start)))
  if (call.isAsking) return []
  const operand = words[call.operandAt]
  const open = words.slice(1, call.operandAt + 1).find(isOpen)
  // Among the options it could be any of them.
  const isOption = open !== undefined && open !== operand
  if (isOption || (open !== undefined && (call.takesScript || open.isStream || !open.isOne))) {
    return hide('a script that is only known when it runs', open)
  }
  if (call.takesScript) {
    return operand === undefined
      ? hide('a shell that waits for a script', words[0])
      : [...scriptOf(operand), ...handedTo(operand, words.slice(call.operandAt + 1))]
  }
  const stream = operand === undefined ? null : streamOf(operand)
  if (stream === 'other') return hide('a script that comes through a descriptor', operand)
  if (operand !== undefined && !call.readsInput && stream === null) {
    return operand.isStream ? hide('a script that comes from a command', operand) : []
  }
  if (feed.kind === 'text') return [{ kind: 'script', text: feed.text }]
  return feed.kind === 'unknown' ? hide('a script that comes through a pipe', words[0]) : []
}

function isOpen({ value, start }: ReadWord): boolean {
  return value === null && (start === '' || /^[-+]/.test(start))
}

/** Words behind a script are its `$0`, `$1` and so on: options among them are not told apart. */
function handedTo(script: ReadWord, rest: readonly ReadWord[]): readonly Inner[] {
  if (!/\$\{?[#!]?[0-9@*]/.test(script.value ?? '')) return []
  const odd = rest.find(
    (word) => word.start.startsWith('-') || (word.value === null && word.isMade),
  )
  return odd === undefined ? [] : hide('a word that is handed to a script', odd)
}
