/**
 * Spend and health: money by day, tool and run, and how the daemon and its hosts are doing.
 */
import type { Answer } from '../../src/doors/api/contract.ts'
import { type Head, live } from '../data/live.ts'
import { linkTo } from '../data/route.ts'
import { useStore } from '../data/store.ts'
import { useAnswer } from '../data/use-answer.ts'
import { nameOf } from '../parts/asked.tsx'
import { Empty, PageHead, ProblemBox, Skeleton, TableBox, Time } from '../parts/basics.tsx'
import { moneyText } from '../parts/times.ts'

type Stats = Answer<'stats.read'>

/** The page. */
export function SpendPage() {
  const { heads } = useStore(live)
  const { answer: stats, problem } = useAnswer('stats.read', {})
  return (
    <>
      <PageHead
        title="Spend and health"
        about={stats === null ? 'Counting…' : `The latest ${stats.runsCount} runs.`}
      />
      {problem === null ? null : <ProblemBox problem={problem} />}
      <div className="two wide">
        <Days stats={stats} />
        <Health />
        <Tools stats={stats} />
        <Dearest heads={heads} />
        <Hosts />
      </div>
    </>
  )
}

const daysShown = 30

function Days({ stats }: { readonly stats: Stats | null }) {
  const days = stats?.days.slice(-daysShown) ?? []
  const most = Math.max(1, ...days.map((one) => one.costMicroUsd))
  const sum = days.reduce((all, one) => all + one.costMicroUsd, 0)
  return (
    <section className="card" aria-label="Cost by day">
      <header>
        <h2 className="grow">Cost by day</h2>
        <strong>{moneyText(sum)}</strong>
      </header>
      <div className="body">
        {stats === null ? (
          <Skeleton lines={5} />
        ) : days.length === 0 ? (
          <Empty icon="spend" title="Nothing was spent yet" />
        ) : (
          <ul className="days">
            {days.map((one) => (
              <li key={one.day} title={`${one.calls} calls, ${one.denied} denied`}>
                <span className="small soft">{one.day}</span>
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

function Tools({ stats }: { readonly stats: Stats | null }) {
  const tools = stats?.tools.toSorted((a, b) => b.costMicroUsd - a.costMicroUsd) ?? []
  return (
    <section className="card" aria-label="By tool">
      <header>
        <h2 className="grow">By tool</h2>
      </header>
      {stats === null ? (
        <div className="body">
          <Skeleton lines={4} />
        </div>
      ) : tools.length === 0 ? (
        <p className="body soft">No tool was used yet.</p>
      ) : (
        <TableBox label="The tools">
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
              {tools.map((one) => (
                <tr key={one.tool}>
                  <td>{nameOf(one.tool)}</td>
                  <td className="num">{one.calls}</td>
                  <td className="num">{one.asked}</td>
                  <td className={`num ${one.denied > 0 ? 'bad' : ''}`}>{one.denied}</td>
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

function Dearest({ heads }: { readonly heads: readonly Head[] }) {
  const dearest = heads
    .filter((head) => head.costMicroUsd > 0)
    .toSorted((a, b) => b.costMicroUsd - a.costMicroUsd)
    .slice(0, dearestShown)
  return (
    <section className="card" aria-label="By run">
      <header>
        <h2 className="grow">By run</h2>
      </header>
      {dearest.length === 0 ? (
        <p className="body soft">No run has cost anything yet.</p>
      ) : (
        <ul className="list">
          {dearest.map((head) => (
            <li key={head.id}>
              <a className="line" href={linkTo('runs', head.id)}>
                <span className="grow cut">
                  {head.definition} <span className="soft small mono">{head.id}</span>
                </span>
                <strong>{moneyText(head.costMicroUsd)}</strong>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Health() {
  const { answer, problem } = useAnswer('status', {})
  return (
    <section className="card" aria-label="Health">
      <header>
        <h2 className="grow">Health</h2>
        {answer === null ? null : (
          <span className={`badge ${answer.trouble === null ? 'good' : 'bad'}`}>
            {answer.trouble === null ? 'decisions are made and kept' : 'in trouble'}
          </span>
        )}
      </header>
      <div className="body stack">
        {problem === null ? null : <ProblemBox problem={problem} />}
        {answer === null ? (
          <Skeleton lines={4} />
        ) : (
          <>
            {answer.trouble === null ? null : <p className="problem">{answer.trouble}</p>}
            <dl className="facts">
              <dt>Version</dt>
              <dd>{answer.version}</dd>
              <dt>Store</dt>
              <dd>{answer.store}</dd>
              <dt>Runs since</dt>
              <dd>
                <Time at={answer.startedAt} />
              </dd>
              <dt>Runs in memory</dt>
              <dd>{answer.runsCached}</dd>
              <dt>Callers that wait</dt>
              <dd>{answer.waitersCount}</dd>
              <dt>Other nodes</dt>
              <dd>
                {answer.store !== 'postgres'
                  ? 'none: this store is served by one node'
                  : (answer.deafness ?? 'tell each other of changes')}
              </dd>
            </dl>
            {answer.found.map((one) => (
              <p key={one} className="note-box small wrap">
                {one}
              </p>
            ))}
          </>
        )}
      </div>
    </section>
  )
}

function Hosts() {
  const { answer } = useAnswer('hosts.list', {})
  return (
    <section className="card" aria-label="Hosts">
      <header>
        <h2 className="grow">Hosts under Pawl</h2>
      </header>
      {answer === null ? (
        <div className="body">
          <Skeleton />
        </div>
      ) : (
        <>
          {answer.installs.length === 0 ? (
            <p className="body soft">
              No host is under Pawl yet. Run <code>pawl init</code> where an agent works.
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

function Proof({ proof }: { readonly proof: Answer<'hosts.list'>['proof'] }) {
  if (proof === null) {
    return (
      <p className="body soft small">
        What is held was not proved on this machine yet: <code>pawl doctor --prove</code>.
      </p>
    )
  }
  return (
    <TableBox label="The proof">
      <table className="table">
        <caption className="small soft">
          proved <Time at={proof.at} />
        </caption>
        <thead>
          <tr>
            <th>Way</th>
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
                const { outcome = 'not tried', note = '' } = cells[id] ?? {}
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
