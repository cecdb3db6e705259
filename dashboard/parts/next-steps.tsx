/** What happens after a yes and after a no, and which rule asks. */
import type { PendingApproval } from '../data/live-state.ts'
import { linkTo } from '../data/route.ts'
import { peopleOf } from './approval-quorum.tsx'
import { moveOf, moveTargetOf, ruleOf } from './approval-summary.tsx'
import { MessageText } from './message-text.tsx'

type Props = {
  readonly approval: PendingApproval
  /** Where the run is; null: not known yet. */
  readonly stage: string | null
  /** The definition that the rule is in; null: not known yet. */
  readonly definition: string | null
}

/** The section. */
export function NextSteps({ approval, stage, definition }: Props) {
  const move = moveOf(approval)
  const missing = peopleOf(approval)?.missing ?? 1
  const others =
    missing > 1 ? `${missing - 1} more ${missing === 2 ? 'person' : 'people'} must approve. ` : ''
  return (
    <section className="stack" aria-label="What happens next">
      <h2>What happens next</h2>
      <dl className="facts told card pad">
        <dt>If you approve</dt>
        <dd>
          {others}
          {move === null ? (
            'The agent can make exactly this call, once.'
          ) : (
            <span className="move">
              The run moves on <span className="stage-chip here">{stage ?? '…'}</span>
              <span className="soft">{move.signal} →</span>
              <span className="stage-chip">{moveTargetOf(move)}</span>
            </span>
          )}
        </dd>
        <dt>If you refuse</dt>
        <dd>
          <MessageText text={refusalText(approval, stage)} />
        </dd>
        <dt>Why you are asked</dt>
        <dd className="wrap">
          <MessageText text={ruleOf(approval)} />{' '}
          <RuleLink approval={approval} definition={definition} />
        </dd>
      </dl>
    </section>
  )
}

/** Leads to the line that asks, where that is in the definition of the run. */
function RuleLink({ approval, definition }: Pick<Props, 'approval' | 'definition'>) {
  const rule = /\(`?(\/[^)`\s]+)`?\)/.exec(ruleOf(approval))?.[1]
  const isOwn = definition !== null && ruleOf(approval).includes(`policy of \`${definition}\``)
  if (rule === undefined || definition === null || !isOwn) return null
  return (
    <a className="link small" href={linkTo('definitions', definition, 'at', rule)}>
      Show the rule
    </a>
  )
}

function refusalText(approval: PendingApproval, stage: string | null): string {
  const move = moveOf(approval)
  const where = stage === null ? 'where it is' : `in \`${stage}\``
  if (move === null)
    return `The call is denied, and the run stays ${where}. The agent reads your reason.`
  if (move.refusal === 'block') return 'The run is blocked until a person looks at it.'
  return `The run stays ${where}. The agent reads your reason.`
}
