/**
 * What changed between two texts, line by line: the shortest edit script (Myers), and the hunks of
 * it with some lines around each. Pure; the cost is bounded.
 */

export type DiffLine = { readonly kind: 'same' | 'add' | 'del'; readonly text: string }

/** Lines that stand together, and where they begin on both sides, from one on. */
export type DiffHunk = {
  readonly oldStart: number
  readonly newStart: number
  readonly lines: readonly DiffLine[]
}

/** Changed lines beyond which a diff is all of the old, then all of the new. */
const editsMax = 1_200
const contextLines = 3

/** All lines of both texts, in order. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1
  }
  const [oldPart, newPart] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  return [
    ...a.slice(0, head).map((text) => line('same', text)),
    ...middle(oldPart, newPart),
    ...a.slice(a.length - tail).map((text) => line('same', text)),
  ]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function line(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, text }
}

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const whole = [...a.map((text) => line('del', text)), ...b.map((text) => line('add', text))]
  if (a.length === 0 || b.length === 0) return whole
  const steps = searchSteps(a, b)
  return steps === null ? whole : walkBack(a, b, steps)
}

/** How far each diagonal gets with so many edits, for each number of them; null: too many. */
function searchSteps(a: readonly string[], b: readonly string[]): readonly Int32Array[] | null {
  const max = Math.min(a.length + b.length, editsMax)
  const size = 2 * max + 2
  const reach = new Int32Array(size)
  const steps: Int32Array[] = []
  for (let edits = 0; edits <= max; edits += 1) {
    steps.push(reach.slice(Math.max(0, max - edits - 1), max + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reach, { k, edits, at: max })
        ? (reach[max + k + 1] as number)
        : (reach[max + k - 1] as number) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach[max + k] = x
      if (x >= a.length && x - k >= b.length) return steps
    }
  }
  return null
}

type Diagonal = { readonly k: number; readonly edits: number; readonly at: number }

/** Whether the best way to a diagonal adds a line, and does not drop one. */
function isDown(reach: Int32Array, { k, edits, at }: Diagonal): boolean {
  if (k === -edits) return true
  return k !== edits && (reach[at + k - 1] as number) < (reach[at + k + 1] as number)
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  steps: readonly Int32Array[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [a.length, b.length]
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const reach = steps[edits] as Int32Array
    // Each step is kept from the diagonal `-edits - 1` on.
    const at = edits + 1 - Math.max(0, edits + 1 - maxOf(a, b))
    const k = x - y
    const before = isDown(reach, { k, edits, at }) ? k + 1 : k - 1
    const fromX = edits === 0 ? 0 : (reach[at + before] as number)
    const fromY = edits === 0 ? 0 : fromX - before
    while (x > fromX && y > fromY) {
      lines.push(line('same', a[x - 1] as string))
      x -= 1
      y -= 1
    }
    if (edits === 0) break
    if (x > fromX) lines.push(line('del', a[x - 1] as string))
    else lines.push(line('add', b[y - 1] as string))
    ;[x, y] = [fromX, fromY]
  }
  return lines.reverse()
}

function maxOf(a: readonly string[], b: readonly string[]): number {
  return Math.min(a.length + b.length, editsMax)
}

/** The parts of a diff where something changes, each with the lines around it. */
export function diffHunks(lines: readonly DiffLine[]): readonly DiffHunk[] {
  const hunks: DiffHunk[] = []
  let [oldAt, newAt] = [1, 1]
  let open: { oldStart: number; newStart: number; lines: DiffLine[] } | null = null
  let since = 0
  let before: DiffLine[] = []
  for (const one of lines) {
    if (one.kind !== 'same') {
      open ??= {
        oldStart: oldAt - before.length,
        newStart: newAt - before.length,
        lines: [...before],
      }
      open.lines.push(one)
      since = 0
    } else if (open !== null) {
      open.lines.push(one)
      since += 1
      if (since > contextLines * 2) {
        hunks.push({ ...open, lines: open.lines.slice(0, contextLines - since) })
        before = open.lines.slice(-contextLines)
        open = null
      }
    } else {
      before = [...before, one].slice(-contextLines)
    }
    if (one.kind !== 'add') oldAt += 1
    if (one.kind !== 'del') newAt += 1
  }
  if (open !== null) {
    const spare = Math.max(0, since - contextLines)
    hunks.push({ ...open, lines: open.lines.slice(0, open.lines.length - spare) })
  }
  return hunks
}
