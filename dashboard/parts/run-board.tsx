/** Open runs by the stage they are in, one board for each definition. */
import type { LiveRunHead } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { useMachine } from '../data/use-machine.ts'
import { StatusBadge, Time } from './basics.tsx'
import { countOf, shortIdOf } from './format-values.ts'
import { MessageText } from './message-text.tsx'

/** Cards in one column; the others are counted. */
const cardsMax = 30

/** The boards. */
export function RunBoard({ heads }: { readonly heads: readonly LiveRunHead[] }) {
  const open = heads.filter((head) => head.endedAt === null)
  const names = [...new Set(open.map((head) => head.definition))].sort()
  if (open.length === 0) return <p className="note-box">None of these runs is open.</p>
  return (
    <div className="stack wide">
      {names.map((name) => (
        <Board key={name} name={name} heads={open.filter((head) => head.definition === name)} />
      ))}
    </div>
  )
}

type BoardProps = { readonly name: string; readonly heads: readonly LiveRunHead[] }

/** The columns in the order in which the definition has its stages. */
function Board({ name, heads }: BoardProps) {
  const machine = useMachine(heads[0]?.machine ?? '')
  const order = Object.keys(machine?.stages ?? {})
  // WHY all of both: runs of an earlier version may be in stages that are gone.
  const names = new Set([...order, ...heads.map((head) => head.stage)])
  const stages = [...names].filter((stage) => heads.some((head) => head.stage === stage))
  return (
    <section className="stack" aria-label={`Board of ${name}`}>
      <h2>
        {name} <span className="small soft">{countOf(heads.length, 'open run')}</span>
      </h2>
      <div className="board">
        {stages.map((stage) => (
          <Column key={stage} stage={stage} heads={heads.filter((one) => one.stage === stage)} />
        ))}
      </div>
    </section>
  )
}

type ColumnProps = { readonly stage: string; readonly heads: readonly LiveRunHead[] }

function Column({ stage, heads }: ColumnProps) {
  const rest = heads.length - cardsMax
  return (
    <section className="card" aria-label={stage}>
      <header>
        <h3 className="grow mono">{stage}</h3>
        <span className="small soft">{heads.length}</span>
      </header>
      <ul className="list">
        {heads.slice(0, cardsMax).map((head) => (
          <li key={head.id}>
            <a className="line" href={linkTo('runs', head.id)}>
              <span className="grow">
                <strong className="wrap">
                  <MessageText text={head.title ?? head.definition} />
                </strong>
                <span className="small soft row flow">
                  <StatusBadge status={head.status} />
                  <span className="mono">{shortIdOf(head.id)}</span>
                  <Time at={head.updatedAt} />
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {rest > 0 ? <p className="body soft small">{countOf(rest, 'more run')}</p> : null}
    </section>
  )
}
