/**
 * Statistics of the latest runs: calls and denials by day, tool, rule and definition. Counted
 * from the logs and cached per run, so that only new records are read the next time.
 */
import type { Event } from '../../core/engine/types.ts'
import { ruleText } from '../../core/judge/rule-answer.ts'
import type { RunHead } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OperationAnswer } from './contract.ts'

export type UsageStats = {
  readonly read: (runtime: Runtime) => Promise<OperationAnswer<'stats.read'>>
}

/** Runs that are looked at, the latest first. */
const runsMax = 1_000
/** Records that one look reads; what is left over is read by the next one. */
const recordsMax = 50_000
const pageSize = 1_000
const runsPage = 500

type Numbers = { calls: number; denied: number; asked: number }
type Tally = {
  seq: number
  readonly days: Map<string, Numbers>
  readonly tools: Map<string, Numbers>
  readonly rules: Map<string, RuleCount>
}
type NamedRuleCount = {
  readonly rule: string | null
  readonly code: string | null
  readonly says: 'deny' | 'ask'
}
/** Where in a log. */
type Spot = { readonly runId: string; readonly seq: number; readonly at: number }
type RuleCount = NamedRuleCount & { count: number; last: Spot }

/** Opens the count; nothing is read yet. */
export function openUsageStats(): UsageStats {
  const known = new Map<string, Tally>()
  return {
    read: async (runtime) => {
      const heads = await latestRuns(runtime)
      let left = recordsMax
      for (const head of heads) {
        const tally = known.get(head.id) ?? newTally()
        known.set(head.id, tally)
        left -= await catchUp(runtime, { head, tally, left })
        if (left <= 0) break
      }
      const ids = new Set(heads.map((head) => head.id))
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
      return sumUp(heads, known)
    },
  }
}

function newTally(): Tally {
  return { seq: 0, days: new Map(), tools: new Map(), rules: new Map() }
}

async function latestRuns(runtime: Runtime): Promise<readonly RunHead[]> {
  const query = { statuses: null, workspace: null, definition: null, limit: runsPage }
  const heads: RunHead[] = []
  for (let after: string | null = null; heads.length < runsMax; ) {
    const page = await runtime.listRuns({ ...query, after })
    heads.push(...page.items)
    if (page.next === null) break
    after = page.next
  }
  return heads
}

type Catching = { readonly head: RunHead; readonly tally: Tally; readonly left: number }

async function catchUp(runtime: Runtime, { head, tally, left }: Catching): Promise<number> {
  let count = 0
  while (tally.seq < head.seq && count < left) {
    const records = await runtime.readEvents(head.id, { after: tally.seq, limit: pageSize })
    if (records.length === 0) break
    for (const { data, at, seq } of records) {
      note(tally, JSON.parse(data) as Event, { runId: head.id, seq, at })
      tally.seq = seq
    }
    count += records.length
  }
  return count
}

function note(tally: Tally, event: Event, last: Spot): void {
  const day = new Date(last.at).toISOString().slice(0, 10)
  switch (event.type) {
    case 'call.allowed':
      add(tally, { day, tool: event.tool }, { calls: 1 })
      break
    case 'call.denied':
      add(tally, { day, tool: event.tool }, { denied: 1 })
      addRule(tally, { rule: ruleText(event), code: event.code, says: 'deny' }, last)
      break
    case 'call.asked':
      add(tally, { day, tool: event.tool }, { asked: 1 })
      addRule(tally, { rule: ruleText(event), code: null, says: 'ask' }, last)
  }
}

type DayTool = { readonly day: string; readonly tool: string }

function add(tally: Tally, { day, tool }: DayTool, more: Partial<Numbers>): void {
  addTo(tally.days, day, more)
  addTo(tally.tools, tool, more)
}

function addTo(map: Map<string, Numbers>, key: string, more: Partial<Numbers>): void {
  const sum = map.get(key) ?? { calls: 0, denied: 0, asked: 0 }
  sum.calls += more.calls ?? 0
  sum.denied += more.denied ?? 0
  sum.asked += more.asked ?? 0
  map.set(key, sum)
}

function addRule(tally: Tally, one: NamedRuleCount, last: Spot): void {
  const key = JSON.stringify(one)
  const known = tally.rules.get(key) ?? { ...one, count: 0, last }
  known.count += 1
  known.last = last
  tally.rules.set(key, known)
}

function sumUp(
  heads: readonly RunHead[],
  known: ReadonlyMap<string, Tally>,
): OperationAnswer<'stats.read'> {
  const days = new Map<string, Numbers>()
  const tools = new Map<string, Numbers>()
  const rules = new Map<string, RuleCount & { definition: string }>()
  const definitions = new Map<string, Use>()
  for (const head of heads) {
    const { definition } = head
    noteUse(definitions, head)
    const tally = known.get(head.id)
    if (tally === undefined) continue
    for (const [day, numbers] of tally.days) addTo(days, day, numbers)
    for (const [tool, numbers] of tally.tools) addTo(tools, tool, numbers)
    for (const [key, one] of tally.rules) {
      const sum = rules.get(`${definition} ${key}`) ?? { ...one, definition, count: 0 }
      sum.count += one.count
      if (one.last.at > sum.last.at) sum.last = one.last
      rules.set(`${definition} ${key}`, sum)
    }
  }
  const isBehind = (head: RunHead): boolean => (known.get(head.id)?.seq ?? 0) < head.seq
  return {
    runsCount: heads.length,
    isPartial: heads.length >= runsMax || heads.some(isBehind),
    days: [...days].map(([day, numbers]) => ({ day, ...numbers })).sort(byDay),
    tools: [...tools].map(([tool, numbers]) => ({ tool, ...numbers })),
    rules: [...rules.values()].sort((a, b) => b.count - a.count),
    definitions: [...definitions].map(([name, use]) => ({ name, ...use })),
  }
}

function byDay(a: { readonly day: string }, b: { readonly day: string }): number {
  return a.day < b.day ? -1 : 1
}

type Use = { runs: number; open: number; wrong: number }

function noteUse(all: Map<string, Use>, head: RunHead): void {
  const use = all.get(head.definition) ?? { runs: 0, open: 0, wrong: 0 }
  use.runs += 1
  use.open += head.endedAt === null ? 1 : 0
  use.wrong += head.status === 'failed' || head.status === 'blocked' ? 1 : 0
  all.set(head.definition, use)
}
