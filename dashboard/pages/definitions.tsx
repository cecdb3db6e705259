/** All definitions, with their versions and how often they are used. */
import { linkTo } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { Empty, PageHead, ProblemBox, Skeleton, Time } from '../parts/basics.tsx'
import { countOf } from '../parts/format-values.ts'

/** The page. */
export function DefinitionsPage() {
  const { answer, problem } = useApiQuery('definitions.list', { limit: 500 })
  const { answer: stats } = useApiQuery('stats.read', {})
  const uses = new Map(stats?.definitions.map((one) => [one.name, one]))
  return (
    <>
      <PageHead title="Definitions" about="The workflows, processes and forms that agents follow.">
        <a className="button main-act" href={linkTo('definitions', 'new')}>
          New definition
        </a>
      </PageHead>
      {problem === null ? null : <ProblemBox problem={problem} />}
      <section className="card" aria-label="Definitions">
        {answer === null ? (
          <div className="body">
            <Skeleton lines={6} />
          </div>
        ) : answer.items.length === 0 ? (
          <Empty icon="definitions" title="No definitions yet">
            Write one here, or add a file with <code>pawl definitions add</code>.
          </Empty>
        ) : (
          <ul className="list">
            {answer.items.map((one) => {
              const use = uses.get(one.name)
              return (
                <li key={one.id}>
                  <a className="line" href={linkTo('definitions', one.id)}>
                    <span className="grow">
                      <strong className="cut" style={{ display: 'block' }}>
                        {one.name}
                      </strong>
                      <span className="small soft cut" style={{ display: 'block' }}>
                        {one.dialect} · version {one.version} ·{' '}
                        {one.tasks.length > 1 ? `tasks ${one.tasks.join(', ')}; ` : ''}
                        {one.workspace === '' ? 'stored in Pawl' : one.workspace}
                      </span>
                    </span>
                    <span className="small soft run-nums">
                      {use === undefined
                        ? 'not used lately'
                        : `${countOf(use.runs, 'run')}, ${use.open} open`}
                    </span>
                    <span className="small soft run-when">
                      <Time at={Date.parse(one.updatedAt)} size="short" />
                    </span>
                  </a>
                </li>
              )
            })}
          </ul>
        )}
      </section>
    </>
  )
}
