/** Claims: which session works on which run. */
import { describe, expect, test } from 'vitest'
import type { Claim } from '../runtime/ports.ts'
import { changeOf } from './sample-records.contract.ts'
import type { Subject } from './store-under-test.contract.ts'

function claimOf(runId: string, session: string, more: Partial<Claim> = {}): Claim {
  return { runId, branch: '', session, at: 1, ...more }
}

export function claimsContract({ store, reopen }: Subject): void {
  describe('a claim', () => {
    test('is had by whoever comes first, and kept', async () => {
      expect(await store().claim(claimOf('r_1', 'claude:a'))).toBe('claude:a')
      expect(await store().claim(claimOf('r_1', 'claude:b'))).toBe('claude:a')
      expect(await store().claim(claimOf('r_1', 'claude:a', { at: 9 }))).toBe('claude:a')
      const again = await reopen()
      expect(await again.claimsOn('r_1')).toEqual([claimOf('r_1', 'claude:a')])
      expect(await again.claimsOf('claude:b')).toEqual([])
    })

    test('of many at once is had by one', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `claude:${index}`)
      const heard = await Promise.all(names.map((name) => store().claim(claimOf('r_1', name))))
      expect(new Set(heard).size).toBe(1)
      expect(await store().claimsOn('r_1')).toHaveLength(1)
    })

    test('is of a branch, too, and a session lists the latest first', async () => {
      const claims = [
        claimOf('r_1', 's', { at: 1 }),
        claimOf('r_2', 's', { at: 3 }),
        claimOf('r_1', 's', { branch: 'lint', at: 2 }),
        claimOf('r_1', 'other', { branch: 'a', at: 2 }),
      ]
      for (const claim of claims) expect(await store().claim(claim)).toBe(claim.session)
      expect(await store().claimsOf('s')).toEqual([claims[1], claims[2], claims[0]])
      expect(await store().claimsOn('r_1')).toEqual([claims[0], claims[3], claims[2]])
    })

    test('ends with the session, with the run, or when a person says so', async () => {
      await store().commit(changeOf('r_1', 0))
      await store().claim(claimOf('r_1', 's'))
      await store().claim(claimOf('r_2', 't'))
      await store().claim(claimOf('r_3', 's'))
      await store().releaseSession('s')
      await store().releaseSession('unknown')
      expect(await store().claimsOf('s')).toEqual([])
      await store().releaseRun('r_2')
      expect(await store().claimsOn('r_2')).toEqual([])
      expect(await store().claim(claimOf('r_1', 'u'))).toBe('u')
      await store().removeRuns(['r_1'])
      expect(await store().claimsOn('r_1')).toEqual([])
    })
  })
}
