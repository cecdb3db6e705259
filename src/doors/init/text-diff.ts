/** A diff of two texts for people: removed lines, added lines, and context. */

type Line = { readonly mark: ' ' | '-' | '+'; readonly text: string }

/** Lines around a change that are shown. */
const aroundCount = 2
/** Above this many pairs of lines the change is shown as one stretch. */
const pairsMax = 4_000_000

/** The changed lines and their neighbours; `…` where others were left out. */
export function textDiff(before: string | null, after: string | null): readonly string[] {
  const lines = compare(linesOf(before), linesOf(after))
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - aroundCount), i + aroundCount + 1).some(({ mark }) => mark !== ' '),
  )
  return lines.flatMap(({ mark, text }, i) => {
    if (isNear[i]) return [`${mark} ${text}`.trimEnd()]
    return i > 0 && isNear[i - 1] ? ['  …'] : []
  })
}

function linesOf(text: string | null): readonly string[] {
  const lines = (text ?? '').split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const kept = (lines: readonly string[]): Line[] => lines.map((text) => ({ mark: ' ', text }))
  return [
    ...kept(before.slice(0, head)),
    ...changes(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...kept(before.slice(before.length - tail)),
  ]
}

function changes(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > pairsMax) {
    return [...before.map(gone), ...after.map(come)]
  }
  // How many lines are common to what is left of both, from each pair of places on.
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let k = after.length - 1; k >= 0; k -= 1) {
      const at = i * width + k
      common[at] =
        before[i] === after[k]
          ? (common[at + width + 1] ?? 0) + 1
          : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0)
    }
  }
  const lines: Line[] = []
  let [i, k] = [0, 0]
  while (i < before.length && k < after.length) {
    const at = i * width + k
    if (before[i] === after[k]) {
      lines.push({ mark: ' ', text: before[i] as string })
      i += 1
      k += 1
    } else if ((common[at + width] ?? 0) >= (common[at + 1] ?? 0)) {
      lines.push(gone(before[i] as string))
      i += 1
    } else {
      lines.push(come(after[k] as string))
      k += 1
    }
  }
  return [...lines, ...before.slice(i).map(gone), ...after.slice(k).map(come)]
}

function gone(text: string): Line {
  return { mark: '-', text }
}

function come(text: string): Line {
  return { mark: '+', text }
}
