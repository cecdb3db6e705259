/** Claims in memory: which session works on which run. */
import type { Claim, ClaimStore } from '../../runtime/ports.ts'
import type { RecordStore } from '../../runtime/record/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import type { MemoryRegister } from './memory-register.ts'

/** `drop` is for a run that is removed. */
export function memoryClaims({ note }: MemoryRegister): {
  readonly calls: ClaimStore
  readonly drop: Drop
  readonly list: RecordStore['listClaims']
} {
  const claims: Claim[] = []
  const keep = (test: (claim: Claim) => boolean): boolean => {
    const kept = claims.filter(test)
    const isLess = kept.length < claims.length
    claims.splice(0, claims.length, ...kept)
    return isLess
  }
  const calls: ClaimStore = {
    claim: async (claim) => {
      const { runId, branch } = claim
      const known = claims.find((one) => one.runId === runId && one.branch === branch)
      if (known !== undefined) return known.session
      claims.push({ ...claim })
      note({ type: 'claim.taken', ...claim })
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
    releaseSession: async (session) => {
      if (!keep((one) => one.session !== session)) return
      note({ type: 'claims.released', session })
    },
    releaseRun: async (runId) => {
      if (keep((one) => one.runId !== runId)) note({ type: 'claims.released', runId })
    },
  }
  const list: RecordStore['listClaims'] = async ({ after, limit }) => {
    const [run, branch] = after === null ? ['', ''] : parseCursor(after, ['', ''])
    const rows = claims
      .filter((one) => order(one.runId, run) > 0 || (one.runId === run && one.branch > branch))
      .sort((a, b) => order(a.runId, b.runId) || byBranch(a, b))
    return pageFrom(rows.map(copy), limit, (one) => [one.runId, one.branch])
  }
  return { calls, list, drop: (runId) => void keep((one) => one.runId !== runId) }
}

type Drop = (runId: string) => void

const copy = (claim: Claim): Claim => ({ ...claim })
const byBranch = (a: Claim, b: Claim): number => order(a.branch, b.branch)
const latestFirst = (a: Claim, b: Claim): number =>
  b.at - a.at || order(a.runId, b.runId) || order(a.branch, b.branch)

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
