/**
 * Programs that find something and run a command on it: `find`, `fd`, GNU `parallel`.
 */
import { anyOf } from './alternation-pattern.ts'
import { pickedWord, type ReadWord, unknownWord } from './expand-word.ts'
import names from './names.json' with { type: 'json' }
import { hide, type Inner, inner, isAsking, joined } from './unwrap-result.ts'

const findRuns: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** The commands behind `-exec` and its kin. */
export function unwrapFind(words: readonly ReadWord[]): readonly Inner[] {
  const found: Inner[] = []
  for (let i = 1; i < words.length; i += 1) {
    if (!findRuns.has(words[i]?.value ?? '')) continue
    const begin = i + 1
    let end = begin
    while (end < words.length && !isFindEnd(words, end, begin)) end += 1
    const command = words
      .slice(begin, end)
      .map((word) => (word.value?.includes('{}') ? pickedWord(word.text) : word))
    if (command.length > 0) found.push(inner(command, begin))
    i = end
  }
  return found
}

function isFindEnd(words: readonly ReadWord[], at: number, begin: number): boolean {
  const value = words[at]?.value
  return value === ';' || (value === '+' && at > begin && words[at - 1]?.value === '{}')
}

/** The command behind `-x`. */
export function unwrapFd(words: readonly ReadWord[]): readonly Inner[] {
  const at = words.findIndex(
    (word, i) => i > 0 && /^(-x|-X|--exec|--exec-batch)(=|$)/.test(word.start),
  )
  if (at < 0) return []
  const flag = words[at]?.value ?? ''
  if (flag.includes('=')) return hide('a command glued to an option', words[at])
  const rest = words.slice(at + 1)
  const end = rest.findIndex((word) => word.value === ';')
  const command = (end < 0 ? rest : rest.slice(0, end)).map((word) =>
    /\{[./]{0,2}\}/.test(word.value ?? '') ? pickedWord(word.text) : word,
  )
  return command.length === 0 ? [] : [inner([...command, unknownWord('…')], at + 1)]
}

const parallelValues = anyOf(names.parallelValues, '^(?:', ')$')

/** GNU parallel: a template that a shell runs, then `:::` and its arguments. */
export function unwrapParallel(words: readonly ReadWord[]): readonly Inner[] {
  if (isAsking(words)) return []
  let i = 1
  while (i < words.length) {
    const value = words[i]?.value ?? null
    if (value === null) return hide('an option of `parallel` that is not known', words[i])
    if (!value.startsWith('-') || value === '-') break
    i += parallelValues.test(value) ? 2 : 1
  }
  const rest = words.slice(i)
  const end = rest.findIndex((word) => /^:::/.test(word.start))
  const template = end < 0 ? rest : rest.slice(0, end)
  if (template.length === 0) return hide('commands that `parallel` reads from its input', words[0])
  if (/[{}]/.test(template[0]?.start ?? ''))
    return hide('the command comes from input', template[0])
  const isStatic = template.every((word) => word.value !== null)
  if (!isStatic) return hide('a command that is only known when it runs', template[0])
  return joined(template)
}
