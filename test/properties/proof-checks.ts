/**
 * What `pawl check --prove` says about a machine, against what its runs do.
 */
import type { Machine } from '../../src/core/machine/machine.ts'
import { proveClaim } from '../../src/core/machine/prove-claim.ts'
import { type Check, memberIn } from './trace-checks.ts'

/** Each machine is proved once: the same one is walked many times. */
const proved = new WeakMap<Machine, ReadonlySet<string>>()

/** The stages that nobody reaches without an approval, by proof. */
function gatedStages(machine: Machine): ReadonlySet<string> {
  const known = proved.get(machine)
  if (known !== undefined) return known
  const without = { kind: 'approval', signal: null } as const
  const names = Object.keys(machine.stages).slice(0, 20)
  const gated = names.filter((target) => {
    return proveClaim(machine, { text: '', target, without }).verdict === 'proved'
  })
  const found = new Set(gated)
  proved.set(machine, found)
  return found
}

/** A stage that is proved to need an approval is entered after a move was granted. */
export const proofsHold: Check = (trace) => {
  const { machine } = trace.setup
  const gated = gatedStages(machine)
  let hasGranted = false
  for (const { answered, before } of trace.steps) {
    for (const { runId, event } of answered.recorded) {
      const asked = memberIn(before, runId)?.state.approval
      if (event.type === 'approval.granted' && asked?.kind === 'move') hasGranted = true
      if (event.type !== 'stage.entered' || hasGranted) continue
      const isOwn = memberIn(answered.family, runId)?.machine.hash === machine.hash
      if (isOwn && gated.has(event.stage)) return `\`${event.stage}\` without an approval`
    }
  }
  return null
}
