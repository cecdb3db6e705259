/** Claims in memory: which session works on which run. */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'

/** `drop` is for a run that is removed. */
export function memoryClaims(): { readonly calls: ClaimStore; readonly drop: Drop } {
  const claims: Claim[] = []
  const keep = (test: (claim: Claim) => boolean): void => {
    claims.splice(0, claims.length, ...claims.filter(test))
  }
  const calls: ClaimStore = {
    claim: async (claim) => {
      const { runId, branch } = claim
      const known = claims.find((one) => one.runId === runId && one.branch === branch)
      if (known !== undefined) return known.session
      claims.push({ ...claim })
      return claim.session
    },
    claimsOf: async (session) =>
      claims
        .filter((one) => one.session === session)
        .sort(latestFirst)
        .map(copy),
    claimsOn: async (runId) =>
      claims
        .filter((one) => one.runId === runId)
        .sort(byBranch)
        .map(copy),
    releaseSession: async (session) => keep((one) => one.session !== session),
    releaseRun: async (runId) => keep((one) => one.runId !== runId),
  }
  return { calls, drop: (runId) => keep((one) => one.runId !== runId) }
}

type Drop = (runId: string) => void

const copy = (claim: Claim): Claim => ({ ...claim })
const byBranch = (a: Claim, b: Claim): number => order(a.branch, b.branch)
const latestFirst = (a: Claim, b: Claim): number =>
  b.at - a.at || order(a.runId, b.runId) || order(a.branch, b.branch)

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
