/**
 * Metrics of the daemon in the Prometheus format. Labels come from our own tables, never from a
 * request, so callers cannot create new ones.
 */

export type Metrics = {
  readonly countOperation: (one: {
    readonly operation: string
    readonly door: string
    /** `ok` or the code of a problem. */
    readonly outcome: string
  }) => void
  /** One call that was judged, and how long judging took, without waiting for people. */
  readonly countCall: (one: CallMetric) => void
  /** How long a command took, from its arrival to its reply. */
  readonly timeDecision: (operation: string, seconds: number) => void
  /** A number that is read when somebody looks. */
  readonly addGauge: (gauge: Gauge) => void
  readonly print: () => string
}

type CallMetric = {
  readonly door: string
  readonly host: string
  readonly decision: string
  readonly code: string | null
  readonly seconds: number
}

type Gauge = {
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
  const commands = new Map<string, Histogram>()
  const calls = new Map<string, Histogram>()
  const gauges: Gauge[] = []
  const add = (counts: Map<string, number>, labels: string): void => {
    counts.set(labels, (counts.get(labels) ?? 0) + 1)
  }
  return {
    countOperation: ({ operation, door, outcome }) =>
      add(operations, `operation="${operation}",door="${door}",outcome="${outcome}"`),
    countCall: ({ door, host, decision, code, seconds }) => {
      const labels = `door="${door}",host="${host}",decision="${decision}"`
      add(verdicts, `${labels},code="${code ?? ''}"`)
      observe(calls, labels, seconds)
    },
    timeDecision: (operation, seconds) => observe(commands, `operation="${operation}"`, seconds),
    addGauge: (gauge) => gauges.push(gauge),
    print: () =>
      [
        ...head('pawl_operations_total', 'counter', 'operations by interface and outcome'),
        ...lines('pawl_operations_total', operations),
        ...head(
          'pawl_verdicts_total',
          'counter',
          'tool calls by interface, host, decision and code',
        ),
        ...lines('pawl_verdicts_total', verdicts),
        ...head('pawl_verdict_seconds', 'histogram', 'time from a tool call to its verdict'),
        ...histogramLines('pawl_verdict_seconds', calls),
        ...head('pawl_decision_seconds', 'histogram', 'time from a command to its reply'),
        ...histogramLines('pawl_decision_seconds', commands),
        ...gauges.flatMap(({ name, help, read }) => [
          ...head(name, 'gauge', help),
          `${name} ${read()}`,
        ]),
        '',
      ].join('\n'),
  }
}

function observe(histograms: Map<string, Histogram>, labels: string, seconds: number): void {
  let one = histograms.get(labels)
  if (one === undefined) {
    one = { counts: bounds.map(() => 0), sum: 0, count: 0 }
    histograms.set(labels, one)
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

function histogramLines(
  name: string,
  histograms: ReadonlyMap<string, Histogram>,
): readonly string[] {
  return [...histograms].flatMap(([labels, one]) => linesOf(name, labels, one))
}

function linesOf(
  name: string,
  label: string,
  { counts, sum, count }: Histogram,
): readonly string[] {
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
