/** Which session of a host works on which run, for every door. */
import type { Clock } from '../clock.ts'
import type { Store } from '../ports.ts'
import type { Runtime } from '../runtime.ts'
import { isLock, unlockRun } from './folder-locks.ts'
import { claimRun, listRunsHere, runOfSession } from './session-run.ts'

export function openSessions(store: Store, clock: Clock): Runtime['sessions'] {
  const { claimsOn, releaseSession, releaseRun } = store
  const runOf: Runtime['sessions']['runOf'] = (session) => runOfSession(store, session)
  const claim: Runtime['sessions']['claim'] = (wish) => store.claim({ ...wish, at: clock.now() })
  return {
    claim,
    claimRun: (wish, by) => claimRun(store, { ...wish, at: clock.now() }, by),
    runOf,
    listRunsHere: (workspace) => listRunsHere(store, workspace, 'anybody'),
    claimsOn,
    releaseSession,
    isLock: (runId) => isLock(store, runId),
    releaseRun: async (runId) => {
      await releaseRun(runId)
      await unlockRun({ store, now: clock.now }, runId)
    },
  }
}
