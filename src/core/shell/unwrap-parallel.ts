/** GNU `parallel`: a template that a shell runs on every argument. */
import { anyOf } from './alternation-pattern.ts'
import type { ReadWord } from './expand-word.ts'
import names from './names.json' with { type: 'json' }
import { hide, type Inner, isAsking, joined } from './unwrap-result.ts'

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
