/** An inner shell: the script that it gets with `-c` or on standard input, or none. */

import type { ReadWord } from './expand-word.ts'
import { type Feed, hide, type Inner, scriptOf, streamOf } from './unwrap-result.ts'

const shellValueOptions = /^([-+][oO]|--rcfile|--init-file)$/

/** A shell: its `-c` script, its script file, or what it is fed. */
export function unwrapShell(words: readonly ReadWord[], feed: Feed): readonly Inner[] {
  let takesScript = false
  let readsInput = false
  let i = 1
  for (; i < words.length; i += 1) {
    const word = words[i] as ReadWord
    const value = word.value
    if (value === null) {
      if (word.start !== '' && !/^[-+]/.test(word.start)) break
      if (takesScript || word.isStream || !word.isOne) {
        return hide('a script that is only known when it runs', word)
      }
      break
    }
    if (value === '--' || value === '-') {
      i += 1
      break
    }
    if (shellValueOptions.test(value)) i += 1
    else if (/^-\w*[oO]$/.test(value) && !value.includes('c')) i += 1
    else if (/^-\w+$/.test(value)) {
      if (value.includes('c')) takesScript = true
      if (value.includes('s')) readsInput = true
      if (/o$/.test(value)) i += 1
    } else if (/^(--help|--version)$/.test(value)) return []
    else if (!/^[-+]/.test(value)) break
  }
  const operand = words[i]
  if (takesScript) {
    return operand === undefined
      ? hide('a shell that waits for a script', words[0])
      : [...scriptOf(operand), ...handedTo(operand, words.slice(i + 1))]
  }
  const stream = operand === undefined ? null : streamOf(operand)
  if (stream === 'other') return hide('a script that comes through a descriptor', operand)
  if (operand !== undefined && !readsInput && stream === null) {
    return operand.isStream ? hide('a script that comes from a command', operand) : []
  }
  if (feed.kind === 'text') return [{ kind: 'script', text: feed.text }]
  return feed.kind === 'unknown' ? hide('a script that comes through a pipe', words[0]) : []
}

/** Words behind a script are its `$0`, `$1` and so on: options among them are not told apart. */
function handedTo(script: ReadWord, rest: readonly ReadWord[]): readonly Inner[] {
  if (!/\$\{?[#!]?[0-9@*]/.test(script.value ?? '')) return []
  const odd = rest.find(
    (word) => word.start.startsWith('-') || (word.value === null && word.isMade),
  )
  return odd === undefined ? [] : hide('a word that is handed to a script', odd)
}
