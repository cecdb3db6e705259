/** One run in a list: what it is called, where it stands, how far it is, and how old it is. */
import type { LiveRunHead } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { useStageProgress } from '../data/use-stage-progress.ts'
import { StatusBadge, Time } from './basics.tsx'
import { folderName } from './folder-name.ts'
import { countOf, durationText, moneyText, shortIdOf, tookText } from './format-values.ts'
import { MessageText } from './message-text.tsx'

type Props = {
  readonly head: LiveRunHead
  /** `short`: beside other things, without numbers. */
  readonly size?: 'short'
}

/** The row; it leads to the run. */
export function RunRow({ head, size }: Props) {
  const { title, definition, stage, host, workspace } = head
  const folder = workspace === null ? '' : folderName(workspace)
  const about = [
    ...(title === null ? [] : [definition]),
    stage,
    ...(host === null ? [] : [host]),
    ...(size === 'short' ? [] : [shortIdOf(head.id), ...(folder === '' ? [] : [folder])]),
  ]
  return (
    <a className={`run-row ${size ?? ''}`} href={linkTo('runs', head.id)}>
      <span className="run-name">
        <strong className="cut">
          <MessageText text={title ?? definition} />
        </strong>
      </span>
      <span className="run-about small soft">
        <StatusBadge status={head.status} />
        <span className="cut" title={`${head.id}${workspace === null ? '' : ` in ${workspace}`}`}>
          {about.join(' · ')}
        </span>
      </span>
      {size === 'short' ? null : (
        <>
          <ProgressBar head={head} />
          <span className="small soft run-nums">
            {countOf(head.callsCount, 'call')}
            {head.costMicroUsd > 0 ? <br /> : null}
            {head.costMicroUsd > 0 ? moneyText(head.costMicroUsd) : ''}
          </span>
        </>
      )}
      <span className="small soft run-when">
        <Time at={head.updatedAt} size="short" />
        <span className="tiny run-age">{ageText(head)}</span>
      </span>
    </a>
  )
}

function ageText({ startedAt, updatedAt, endedAt }: LiveRunHead): string {
  if (endedAt !== null) return `took ${tookText(endedAt - startedAt)}`
  const lastedMs = updatedAt - startedAt
  return lastedMs < 60_000 ? '' : `after ${durationText(lastedMs)}`
}

/** How far an open run is; nothing where that is not known. */
function ProgressBar({ head }: { readonly head: LiveRunHead }) {
  const progress = useStageProgress(head)
  if (progress === null) return <span className="run-progress" />
  const { passed, left } = progress
  const text = `stage ${passed + 1} of ${passed + left + 1}`
  return (
    <span className="run-progress tiny soft" title={`${text} on the shortest path`}>
      {text}
      <span className="bar">
        <i style={{ width: `${((passed + 1) / (passed + left + 1)) * 100}%` }} />
      </span>
    </span>
  )
}
