/** Measures cases in rounds, one of each in turn, so that noise affects all of them alike. */

/** Milliseconds per round and case, after one round to warm up. */
export function interleave<N extends string | number>(
  cases: Readonly<Record<N, () => void>>,
  roundsCount: number,
): Record<N, number[]> {
  const names = Object.keys(cases) as N[]
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    N,
    number[]
  >
  for (let round = -1; round < roundsCount; round += 1) {
    for (const name of names) {
      const begun = performance.now()
      cases[name]()
      if (round >= 0) times[name].push(performance.now() - begun)
    }
  }
  return times
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** The value that this share of all does not exceed; 1: the greatest. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export type Row = readonly [name: string, value: number, note: string]

/** A table a person can read. */
export function print(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`)
  for (const [name, value, note] of rows) {
    const number = value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
    console.log(`  ${name.padEnd(28)} ${number.padStart(14)}  ${note}`)
  }
}
