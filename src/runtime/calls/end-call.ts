/** Ends a call: recorded once, by the caller that made it. */

import type { Actor } from '../../core/engine/types.ts'
import type { EvidenceGrade } from '../../core/evidence/requirement.ts'
import { PawlError } from '../pawl-error.ts'
import type { Intent, Runtime } from '../runtime.ts'
import { callerName, holderName } from './call-names.ts'
import type { EndAnswer, EndRequest } from './calls.ts'
import { dropLease, type LeaseTools } from './leases.ts'

type EndTools = LeaseTools & { readonly runtime: Pick<Runtime, 'send'> }

/** Records the end of a call. A run that is gone needs to be told nothing. */
export async function endCall(
  tools: EndTools,
  request: EndRequest,
  actor: Actor,
): Promise<EndAnswer> {
  const { runId, callId, isLeased } = request
  try {
    const by = { actor, commandId: null }
    const { reply } = await tools.runtime.send(runId, reportIntent(request), by)
    if (reply.kind === 'refused') return reply.code === 'NOT_PERMITTED' ? 'foreign' : 'unknown'
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'RUN_UNKNOWN') return 'unknown'
    throw fault
  }
  // WHY after the report: a call without a lease is one that can be written off.
  if (isLeased && callId !== null) await dropLease(tools, { runId, callId })
  return 'ended'
}

/** INVARIANT: only the runner and hooks with a secret of their own see how a command ended. */
function gradeAt({ door, isInLayer }: EndRequest): { readonly grade?: EvidenceGrade } {
  if (door === 'job') return { grade: 'job' }
  return door === 'hook' && isInLayer === undefined ? { grade: 'host' } : {}
}

function reportIntent(request: EndRequest): Intent {
  const { branch, callId, door = '', caller, key, holder, report, grantedAtPrompt } = request
  return {
    kind: 'report',
    ...{ callId, report, branch },
    ...(caller === undefined ? {} : { caller: callerName(door, caller) }),
    ...(key === undefined ? {} : { key }),
    ...(holder === undefined ? {} : { holder: holderName(door, holder) }),
    // INVARIANT: jobs, mail, secrets and the gateway are never decided at the prompt of a host.
    ...(grantedAtPrompt === undefined || door !== 'hook' ? {} : { grantedAtPrompt }),
    ...gradeAt(request),
  }
}
