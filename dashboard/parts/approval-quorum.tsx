/** Approvals that need more than one person: who has approved, and who is missing. */
import type { Endorsement } from '../../src/core/engine/types.ts'
import { type Quorum, quorumText } from '../../src/core/machine/quorum.ts'
import type { Me, PendingApproval } from '../data/live-state.ts'
import { Icon } from './icons.tsx'

export type PeopleNeeded = {
  readonly quorum: Quorum
  readonly agreed: readonly Endorsement[]
  /** How many more have to agree. */
  readonly missing: number
}

/** Who has to agree; null: one person, whoever it is. */
export function peopleOf({ pending }: PendingApproval): PeopleNeeded | null {
  // WHY the cast: kept so by the runtime, beside what waits.
  const { quorum, endorsements: agreed = [] } = pending as {
    readonly quorum?: Quorum
    readonly endorsements?: readonly Endorsement[]
  }
  return quorum === undefined ? null : { quorum, agreed, missing: quorum.needed - agreed.length }
}

/** Why the yes of this person would not count; null: it does. */
export function reasonNotToCount(people: PeopleNeeded | null, me: Me | null): string | null {
  if (people === null || me === null) return null
  const { quorum, agreed } = people
  const { name } = me
  if (agreed.some((one) => one.by.name === name))
    return 'You have approved. Others must approve too.'
  if (quorum.from === undefined || quorum.from.includes(name)) return null
  const who = quorumText(quorum)
  return `Your approval does not count here: ${who} must approve. You can still refuse.`
}

/** Said in short, for lists. */
export function AgreedBadge({ approval }: { readonly approval: PendingApproval }) {
  const people = peopleOf(approval)
  if (people === null) return null
  const { agreed, quorum } = people
  return (
    <span className="badge" title={`${quorumText(quorum)} must approve`}>
      {agreed.length} of {quorum.needed} approved
    </span>
  )
}

/** Everybody who has to agree, and what those have said who did. */
export function PeopleBox({ approval }: { readonly approval: PendingApproval }) {
  const people = peopleOf(approval)
  if (people === null) return null
  const { quorum, agreed, missing } = people
  const isOpen = approval.status === 'pending'
  const others = quorum.from?.filter((name) => agreed.every((one) => one.by.name !== name)) ?? []
  return (
    <section className="stack" aria-label="Who must approve">
      <h2>{quorumText(quorum)} must approve</h2>
      <div className="card pad">
        <ul className="agreed">
          {agreed.map(({ by, note }) => (
            <li key={by.name}>
              <span className="badge good">
                <Icon name="check" /> approved
              </span>
              <strong>{by.name}</strong> <span className="soft wrap">{note}</span>
            </li>
          ))}
          {approval.status === 'refused' ? (
            <li>
              <span className="badge bad">
                <Icon name="cross" /> refused
              </span>
              <strong>{approval.decidedBy}</strong>{' '}
              <span className="soft wrap">{approval.note}</span>
            </li>
          ) : null}
          {isOpen ? (
            <li>
              <span className="badge warn">{missing} more needed</span>
              <span className="soft">
                {others.length === 0 ? 'anyone who has not approved yet' : others.join(', ')}
              </span>
            </li>
          ) : null}
        </ul>
      </div>
      {isOpen ? <p className="small soft">One refusal is enough to stop it.</p> : null}
    </section>
  )
}
