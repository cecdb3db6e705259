/**
 * How large a program a regular expression compiles to, computed from its characters alone.
 * Knows the syntax of repetition. Must not know an engine.
 */

/** About how many steps per character a pattern needs: its atoms, multiplied by their repeats. */
export function patternWeight(text: string): number {
  const groups: { sum: number; last: number }[] = [{ sum: 0, last: 0 }]
  for (let i = 0; i < text.length; ) {
    const group = groups.at(-1) ?? { sum: 0, last: 0 }
    const char = text[i]
    const repeat = char === '{' ? /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(text.slice(i, i + 16)) : null
    if (repeat !== null) {
      const times = Math.max(1, Number(repeat[1]), Number(repeat[2] ?? 0))
      group.sum += group.last * (times - 1)
      group.last *= times
      i += repeat[0].length
    } else if (char === '(') {
      groups.push({ sum: 1, last: 0 })
      i += 1
    } else if (char === ')' && groups.length > 1) {
      groups.pop()
      const outer = groups.at(-1) ?? group
      outer.sum += group.sum
      outer.last = group.sum
      i += 1
    } else {
      i = char === '[' ? endOfClass(text, i) : i + (char === '\\' ? 2 : 1)
      if (char !== '*' && char !== '+' && char !== '?') group.last = 1
      group.sum += 1
    }
  }
  return groups.reduce((sum, group) => sum + group.sum, 1)
}

function endOfClass(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1
    else if (text[i] === ']' && i > start + 1) return i + 1
  }
  return text.length
}
