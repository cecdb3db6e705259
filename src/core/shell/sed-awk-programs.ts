/** Finds the programs in the arguments of `sed` and `awk`. */
import type { CommandArguments } from './command-arguments.ts'

/** The scripts among the words of a `sed` command. */
export function sedScripts(tail: Pick<CommandArguments, 'words' | 'starts'>): readonly string[] {
  const scripts: string[] = []
  let operand: string | null = null
  let isFromFile = false
  for (let i = 1; i < tail.words.length; i += 1) {
    const word = tail.words[i] ?? ''
    const next = tail.words[i + 1] ?? ''
    if (/^-[nErsuz]*e$/.test(word) || word === '--expression') {
      scripts.push(next)
      i += 1
    } else if (/^-[nErsuz]*e./.test(word)) scripts.push(word.replace(/^-[nErsuz]*e/, ''))
    else if (word.startsWith('--expression=')) scripts.push(word.slice(13))
    else if (/^(-[nErsuz]*f|--file)/.test(word)) {
      isFromFile = true
      if (/f$|^--file$/.test(word)) i += 1
    } else if (/^-[nErsuz]*l$/.test(word)) i += 1
    else if (!word.startsWith('-') && operand === null) operand = word
  }
  return scripts.length === 0 && !isFromFile && operand !== null ? [operand] : scripts
}

/** The program among the words of an `awk` command; empty when it comes from a file. */
export function awkProgram(tail: Pick<CommandArguments, 'words' | 'starts'>): string {
  for (let i = 1; i < tail.words.length; i += 1) {
    const word = tail.words[i] ?? ''
    if (/^-[vF]$/.test(word) || /^--(assign|field-separator)$/.test(word)) i += 1
    else if (/^(-e|--source)$/.test(word)) return tail.words[i + 1] ?? ''
    else if (/^(-f|--file)/.test(word)) return ''
    else if (/^(-i|--include|-l|--load)$/.test(word)) i += 1
    else if (word === '--') return tail.words[i + 1] ?? ''
    else if (!word.startsWith('-')) return word
  }
  return ''
}
