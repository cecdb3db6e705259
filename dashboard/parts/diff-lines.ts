/** A line diff of two texts, by their longest common subsequence. */
type DiffLine = { readonly kind: 'same' | 'add' | 'del'; readonly text: string }

/** Lines of one side beyond which a diff is all of the old, then all of the new. */
const linesMax = 600

/** What becomes of the first text. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  if (a.length > linesMax || b.length > linesMax) {
    return [...a.map((text) => line('del', text)), ...b.map((text) => line('add', text))]
  }
  const lengths = commonLengths(a, b)
  const lines: DiffLine[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      lines.push(line('same', left))
      i += 1
      j += 1
    } else if (
      right !== undefined &&
      (left === undefined || at(lengths, i, j + 1) > at(lengths, i + 1, j))
    ) {
      lines.push(line('add', right))
      j += 1
    } else if (left !== undefined) {
      lines.push(line('del', left))
      i += 1
    }
  }
  return lines
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function line(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, text }
}

type Table = readonly (readonly number[])[]

function at(table: Table, i: number, j: number): number {
  return table[i]?.[j] ?? 0
}

/** For every pair of places: how many lines the rests have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Table {
  const table: number[][] = Array.from({ length: a.length + 1 }, () => [])
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const isSame = a[i] === b[j]
      const length = isSame
        ? at(table, i + 1, j + 1) + 1
        : Math.max(at(table, i + 1, j), at(table, i, j + 1))
      const row = table[i]
      if (row !== undefined) row[j] = length
    }
  }
  return table
}
