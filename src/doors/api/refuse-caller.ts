/**
 * Which caller may ask for which operation: by the kind of credential, and by the role of a
 * sign-in. Knows no input and no run.
 */
import { changesRun } from './agent-runs.ts'
import { type Caller, suffices } from './caller.ts'
import {
  isStream,
  type Need,
  type OperationName,
  operations,
  type StreamName,
  streams,
} from './operations-table.ts'
import { type ProblemDocument, problem } from './problem.ts'
import { leastAccess, permits } from './sign-in-access.ts'

/** Why this caller may not ask for this at all; null: they may. */
export function refuseCaller(
  name: OperationName | StreamName,
  caller: Caller | null,
): ProblemDocument | null {
  const need: Need = name in streams ? 'agent' : operations[name as OperationName].need
  if (caller?.isBare === true && need !== 'none' && !isForBare(name)) return needsCredential(name)
  if (suffices(caller, need)) return refuseAccess(name, caller)
  if (caller === null) {
    const hint = 'send a token of the daemon in the header (HTTP) or frame (socket)'
    return problem('TOKEN_INVALID', { detail: 'the token is missing or invalid', hint })
  }
  return needsPerson(name)
}

function needsPerson(name: string): ProblemDocument {
  const hint = 'ask a person to do it; they have a token of their own'
  return problem('NOT_PERMITTED', { detail: `\`${name}\` needs a person's token`, hint })
}

/** What `agent.token` is good for: to look, and to get a credential. */
function isForBare(name: OperationName | StreamName): boolean {
  if (isStream(name) || name === 'credentials.issue') return true
  const { method, need } = operations[name]
  if (need !== 'agent' || changesRun.has(name)) return false
  return method === 'GET' || name === 'check' || name === 'judge'
}

function needsCredential(name: OperationName | StreamName): ProblemDocument {
  const need: Need = isStream(name) ? 'agent' : operations[name].need
  if (need === 'person') return needsPerson(name)
  const detail = `\`${name}\` needs a credential; \`agent.token\` alone only reads`
  const hint =
    'get one with `credentials.issue` (POST /v1/credentials); a person gets one for a run with ' +
    '`pawl credential RUN`'
  return problem('NOT_PERMITTED', { detail, hint })
}

/** Somebody who has signed in may be allowed less than a token. */
function refuseAccess(
  name: OperationName | StreamName,
  caller: Caller | null,
): ProblemDocument | null {
  if (caller?.access === undefined || isStream(name) || permits(caller.access, name)) return null
  const least = leastAccess(name)
  const detail = `\`${name}\` needs \`${least}\` access; you have \`${caller.access}\``
  const hint = 'sign in again with a code for more access (`pawl open --role`)'
  return problem('NOT_PERMITTED', { detail, hint })
}
