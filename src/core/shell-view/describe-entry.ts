/** What an entry of a command list with wildcards covers, in words. */
import { readEntry } from '../shell/command-list-entries.ts'
import type { WildcardWord } from '../shell/wildcard-word.ts'

/** What it covers; null: it has no wildcard, or it matches no command. */
export function describeEntry(text: string): string | null {
  const words = readEntry(text)?.words ?? []
  const [program] = words
  if (program === undefined || words.every((word) => typeof word === 'string')) return null
  if (typeof program !== 'string' && program.isAny) {
    return words.length === 1 ? 'any command, as if there were no list' : null
  }
  const parts: string[] = []
  let fixed: string[] = []
  const flush = (): void => {
    if (fixed.length > 0) parts.push(`\`${fixed.join(' ')}\``)
    fixed = []
  }
  for (const [at, word] of words.entries()) {
    if (typeof word === 'string') fixed.push(word)
    else {
      flush()
      parts.push(`${at === 0 ? 'a program' : 'a word'}${shapeOf(word)}`)
    }
  }
  flush()
  const exception = typeof program === 'string' ? '' : '; no shell or interpreter unless named'
  return `${parts.join(', ')}, and whatever follows${exception}`
}

function shapeOf({ segments, isAny }: WildcardWord): string {
  if (isAny) return ''
  const text = segments.map((segment) => segment.join('*')).join('/')
  const fixed = text.slice(0, -1)
  if (text.endsWith('*') && !fixed.includes('*')) return ` that begins with \`${fixed}\``
  return ` like \`${text}\``
}
