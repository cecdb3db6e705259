/**
 * Numbers about the daemon, as Prometheus reads them. Labels come from our own tables, never from
 * a request, so that nobody can make more of them.
 */

export type Metrics = {
  readonly countOperation: (one: {
    readonly operation: string
    readonly door: string
    /** `ok` or the code of a problem. */
    readonly outcome: string
  }) => void
  readonly countVerdict: (verdict: string, code: string | null) => void
  /** How long a command took, from its arrival to its reply. */
  readonly timeDecision: (operation: string, seconds: number) => void
  /** A number that is read when somebody looks. */
  readonly addGauge: (gauge: Gauge) => void
  readonly print: () => string
}

export type Gauge = {
  readonly name: string
  readonly help: string
  readonly read: () => number
}

const bounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
]

type Histogram = { readonly counts: number[]; sum: number; count: number }

/** Opens a set of numbers, all of them zero. */
export function openMetrics(): Metrics {
  const operations = new Map<string, number>()
  const verdicts = new Map<string, number>()
  const histograms = new Map<string, Histogram>()
  const gauges: Gauge[] = []
  const add = (counts: Map<string, number>, labels: string): void => {
    counts.set(labels, (counts.get(labels) ?? 0) + 1)
  }
  return {
    countOperation: ({ operation, door, outcome }) =>
      add(operations, `operation="${operation}",door="${door}",outcome="${outcome}"`),
    countVerdict: (verdict, code) => add(verdicts, `verdict="${verdict}",code="${code ?? ''}"`),
    timeDecision: (operation, seconds) => observe(histograms, operation, seconds),
    addGauge: (gauge) => gauges.push(gauge),
    print: () =>
      [
        ...head('pawl_operations_total', 'counter', 'operations by door and outcome'),
        ...lines('pawl_operations_total', operations),
        ...head('pawl_verdicts_total', 'counter', 'verdicts on calls'),
        ...lines('pawl_verdicts_total', verdicts),
        ...head('pawl_decision_seconds', 'histogram', 'from a command to its reply'),
        ...[...histograms].flatMap(([operation, one]) => histogramLines(operation, one)),
        ...gauges.flatMap(({ name, help, read }) => [
          ...head(name, 'gauge', help),
          `${name} ${read()}`,
        ]),
        '',
      ].join('\n'),
  }
}

function observe(histograms: Map<string, Histogram>, operation: string, seconds: number): void {
  let one = histograms.get(operation)
  if (one === undefined) {
    one = { counts: bounds.map(() => 0), sum: 0, count: 0 }
    histograms.set(operation, one)
  }
  const at = bounds.findIndex((bound) => seconds <= bound)
  if (at >= 0) one.counts[at] = (one.counts[at] ?? 0) + 1
  one.sum += seconds
  one.count += 1
}

function head(name: string, kind: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`]
}

function lines(name: string, counts: ReadonlyMap<string, number>): readonly string[] {
  return [...counts].map(([labels, count]) => `${name}{${labels}} ${count}`)
}

function histogramLines(operation: string, { counts, sum, count }: Histogram): readonly string[] {
  const name = 'pawl_decision_seconds'
  const label = `operation="${operation}"`
  let below = 0
  const buckets = bounds.map((bound, at) => {
    below += counts[at] ?? 0
    return `${name}_bucket{${label},le="${bound}"} ${below}`
  })
  return [
    ...buckets,
    `${name}_bucket{${label},le="+Inf"} ${count}`,
    `${name}_sum{${label}} ${sum}`,
    `${name}_count{${label}} ${count}`,
  ]
}
