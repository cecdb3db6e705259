/** Findings about quorums: more approvals than the listed people can give. */
import { type Finding, finding } from '../finding.ts'
import type { CheckContext } from './check-context.ts'
import { isHopeless, type Quorum } from './quorum.ts'

/** VALUE_CONFLICT: nobody could ever grant it. */
export function checkQuorums({ machine }: CheckContext): readonly Finding[] {
  const gates = Object.values(machine.stages).flatMap((stage) =>
    Object.values(stage.signals).flatMap((trigger) =>
      trigger.routes.flatMap((route) => (route.gate === null ? [] : [route.gate])),
    ),
  )
  return [...gates, ...(machine.policy?.ask ?? [])].flatMap(({ origin, quorum }) =>
    quorum === undefined || !isHopeless(quorum) ? [] : [tooFew(origin, quorum)],
  )
}

function tooFew(origin: string, { needed, from = [] }: Quorum): Finding {
  const message = `${needed} people must approve, but \`from\` names ${from.length}`
  const hint = 'name more people in `from`, lower `needed`, or omit `from` to allow anybody'
  return finding('VALUE_CONFLICT', origin, { message, hint })
}
