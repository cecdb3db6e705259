/**
 * Spend and health: costs by day, tool, run and stage, and the state of the daemon and its hosts.
 */
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { live } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { type CostEntry, type CostSum, sumCosts } from '../data/sum-costs.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { Empty, PageHead, ProblemBox, Skeleton, TableBox, Time } from '../parts/basics.tsx'
import { shownNameOf } from '../parts/event-text.ts'
import { moneyText, shortIdOf } from '../parts/format-values.ts'
import { MessageText } from '../parts/message-text.tsx'

type Stats = OperationAnswer<'stats.read'>
type Costs = OperationAnswer<'costs.read'>

/** The page. */
export function SpendPage() {
  const { answer: stats } = useApiQuery('stats.read', {})
  const { answer: costs, problem } = useApiQuery('costs.read', {})
  const { heads } = useValueStore(live)
  const titles = new Map(heads.map(({ id, title }) => [id, title]))
  return (
    <>
      <PageHead
        title="Spend and health"
        about={
          <MessageText
            text={costs === null ? 'Counting…' : costs.isPartial ? partialText : wholeText}
          />
        }
      />
      {problem === null ? null : <ProblemBox problem={problem} />}
      <div className="two wide">
        <div className="stack apart">
          <Days costs={costs} />
          <Tools stats={stats} costs={costs} />
          <Dearest
            costs={costs}
            title="By stage"
            sumUp={(row) => JSON.stringify([row.definition, row.stage])}
            show={({ row }) => ({ name: row.stage, about: row.definition })}
          />
        </div>
        <div className="stack apart">
          <Health />
          <Dearest
            costs={costs}
            title="By run"
            sumUp={(row) => row.runId}
            show={({ row }) => ({
              name: titles.get(row.runId) ?? row.definition,
              about: titles.get(row.runId) ? row.definition : shortIdOf(row.runId),
            })}
          />
          <Hosts />
        </div>
      </div>
    </>
  )
}

const wholeText = 'Costs reported by calls and models.'
const partialText = `${wholeText} Not all were counted; \`pawl cost RUN\` shows all of a run.`

const daysShown = 30

function Days({ costs }: { readonly costs: Costs | null }) {
  const sums = sumCosts(costs?.rows ?? [], (row) => row.day)
  const days = sums.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(-daysShown)
  const most = Math.max(1, ...days.map((one) => one.costMicroUsd))
  const sum = days.reduce((all, one) => all + one.costMicroUsd, 0)
  return (
    <section className="card" aria-label="Cost by day">
      <header>
        <h2 className="grow">Cost by day</h2>
        <strong>{moneyText(sum)}</strong>
      </header>
      <div className="body">
        {costs === null ? (
          <Skeleton lines={5} />
        ) : days.length === 0 ? (
          <Empty icon="spend" title="Nothing spent yet" />
        ) : (
          <ul className="days">
            {days.map((one) => (
              <li key={one.key}>
                <span className="small soft">{one.key}</span>
                <span className="bar">
                  <i style={{ width: `${(one.costMicroUsd / most) * 100}%` }} />
                </span>
                <span className="small num">{moneyText(one.costMicroUsd)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}

type ToolsProps = { readonly stats: Stats | null; readonly costs: Costs | null }
type ToolRow = Omit<Stats['tools'][number], 'calls'> & {
  readonly calls: number | null
  readonly costMicroUsd: number
}

/** Tools with their calls, and models, which make none. */
function toolRows({ stats, costs }: ToolsProps): readonly ToolRow[] {
  const sums = sumCosts(costs?.rows ?? [], (row) => row.tool)
  const money = new Map(sums.map((one) => [one.key, one.costMicroUsd]))
  const tools = stats?.tools ?? []
  const known = new Set(tools.map((one) => one.tool))
  const others = sums.filter((one) => !known.has(one.key))
  return [
    ...tools.map((one) => ({ ...one, costMicroUsd: money.get(one.tool) ?? 0 })),
    ...others.map(({ key: tool, costMicroUsd }) => ({
      ...{ tool, costMicroUsd, calls: null, asked: 0, denied: 0 },
    })),
  ].sort((a, b) => b.costMicroUsd - a.costMicroUsd)
}

function Tools({ stats, costs }: ToolsProps) {
  const rows = toolRows({ stats, costs })
  return (
    <section className="card" aria-label="By tool">
      <header>
        <h2 className="grow">By tool and model</h2>
      </header>
      {stats === null || costs === null ? (
        <div className="body">
          <Skeleton lines={4} />
        </div>
      ) : rows.length === 0 ? (
        <p className="body soft">No tools used yet.</p>
      ) : (
        <TableBox label="Tools">
          <table className="table">
            <thead>
              <tr>
                <th>Tool</th>
                <th className="num">Calls</th>
                <th className="num">Asked</th>
                <th className="num">Denied</th>
                <th className="num">Cost</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.tool}>
                  <td>{shownNameOf(one.tool)}</td>
                  <td className="num">{one.calls ?? '–'}</td>
                  <td className="num">{one.calls === null ? '–' : one.asked}</td>
                  <td className={`num ${one.denied > 0 ? 'bad' : ''}`}>
                    {one.calls === null ? '–' : one.denied}
                  </td>
                  <td className="num">{moneyText(one.costMicroUsd)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </section>
  )
}

const dearestShown = 10

type DearestProps = {
  readonly costs: Costs | null
  readonly title: string
  readonly sumUp: (row: CostEntry) => string
  readonly show: (sum: CostSum) => { readonly name: string; readonly about: string }
}

function Dearest({ costs, title, sumUp, show }: DearestProps) {
  const sums = sumCosts(costs?.rows ?? [], sumUp).slice(0, dearestShown)
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2 className="grow">{title}</h2>
      </header>
      {sums.length === 0 ? (
        <p className="body soft">No costs yet.</p>
      ) : (
        <ul className="list">
          {sums.map((one) => {
            const { name, about } = show(one)
            return (
              <li key={one.key}>
                <a className="line" href={linkTo('runs', one.row.runId)}>
                  <span className="grow cut">
                    {name} <span className="soft small mono">{about}</span>
                  </span>
                  <strong>{moneyText(one.costMicroUsd)}</strong>
                </a>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function Health() {
  const { answer, problem } = useApiQuery('status', {})
  return (
    <section className="card" aria-label="Health">
      <header>
        <h2 className="grow">Health</h2>
        {answer === null ? null : (
          <span className={`badge ${answer.trouble === null ? 'good' : 'bad'}`}>
            {answer.trouble === null ? 'healthy' : 'unhealthy'}
          </span>
        )}
      </header>
      <div className="body stack">
        {problem === null ? null : <ProblemBox problem={problem} />}
        {answer === null ? (
          <Skeleton lines={4} />
        ) : (
          <>
            {answer.trouble === null ? null : (
              <p className="problem">
                <MessageText text={answer.trouble} />
              </p>
            )}
            <dl className="facts">
              <dt>Version</dt>
              <dd>{answer.version}</dd>
              <dt>Store</dt>
              <dd>{answer.store}</dd>
              <dt>Started</dt>
              <dd>
                <Time at={answer.startedAt} />
              </dd>
              <dt>Cached runs</dt>
              <dd>{answer.runsCached}</dd>
              <dt>Waiting requests</dt>
              <dd>{answer.waitersCount}</dd>
              <dt>Other nodes</dt>
              <dd>
                {answer.store !== 'postgres'
                  ? 'none (SQLite serves one node)'
                  : (answer.listenError ?? 'LISTEN/NOTIFY works')}
              </dd>
            </dl>
            {answer.found.map((one) => (
              <p key={one} className="note-box small wrap">
                <MessageText text={one} />
              </p>
            ))}
          </>
        )}
      </div>
    </section>
  )
}

function Hosts() {
  const { answer } = useApiQuery('hosts.list', {})
  return (
    <section className="card" aria-label="Hosts">
      <header>
        <h2 className="grow">Guarded hosts</h2>
      </header>
      {answer === null ? (
        <div className="body">
          <Skeleton />
        </div>
      ) : (
        <>
          {answer.installs.length === 0 ? (
            <p className="body soft">
              No hosts yet. Run <code>pawl init</code> in the folder where an agent works.
            </p>
          ) : (
            <ul className="list">
              {answer.installs.map((one) => (
                <li key={`${one.host} ${one.workspace}`} className="line" style={{ padding: 12 }}>
                  <strong>{one.host}</strong> <span className="soft small">{one.workspace}</span>
                  {one.problems.map((problem) => (
                    <p key={problem} className="small bad wrap">
                      {problem}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          )}
          <Proof proof={answer.proof} />
        </>
      )}
    </section>
  )
}

const cellTones: Readonly<Record<string, string>> = { stopped: 'good', EXECUTED: 'bad' }

function Proof({ proof }: { readonly proof: OperationAnswer<'hosts.list'>['proof'] }) {
  if (proof === null) {
    return (
      <p className="body soft small">
        The hooks have not been tested on this machine yet. Run <code>pawl doctor --prove</code>.
      </p>
    )
  }
  return (
    <TableBox label="Proof">
      <table className="table">
        <caption className="small soft">
          tested <Time at={proof.at} />
        </caption>
        <thead>
          <tr>
            <th>Path</th>
            {proof.hosts.map((one) => (
              <th key={one.host}>
                {one.host} {one.version}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(proof.paths).map(([id, title]) => (
            <tr key={id}>
              <td>{title}</td>
              {proof.hosts.map(({ host, cells }) => {
                const { outcome = 'not tested', note = '' } = cells[id] ?? {}
                return (
                  <td key={host} title={note}>
                    <span className={`badge ${cellTones[outcome] ?? ''}`}>{outcome}</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}
