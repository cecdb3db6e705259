/**
 * What every store must do, whatever it is made of: one suite for all of them.
 */
import { afterEach, beforeEach, describe } from 'vitest'
import type { Store } from '../runtime/ports.ts'
import { approvalsContract } from './approvals.contract.ts'
import { begunCallsContract } from './begun-calls.contract.ts'
import { callsContract } from './calls.contract.ts'
import { claimsContract } from './claims.contract.ts'
import { definitionsContract } from './definitions.contract.ts'
import { cardsContract } from './documents.contract.ts'
import { listsContract } from './lists.contract.ts'
import { careContract } from './maintenance.contract.ts'
import { orderContract } from './order.contract.ts'
import { repliesContract } from './replies.contract.ts'
import { runsContract } from './runs.contract.ts'
import { sessionOrderContract } from './session-order.contract.ts'
import type { Subject } from './store-under-test.contract.ts'
import { textsContract } from './texts.contract.ts'

/** A store with nothing in it. */
export type StoreUnderTest = {
  readonly store: Store
  /** Closes it and opens what it left behind. */
  readonly reopen: () => Promise<Store>
  /** Called after the store was closed for the last time. */
  readonly dispose?: () => Promise<void>
}

/** Holds one kind of store to everything that `runtime/ports.ts` promises. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the ${name} store`, () => {
    let opened: StoreUnderTest
    let current: Store
    beforeEach(async () => {
      opened = await open()
      current = opened.store
    })
    afterEach(async () => {
      await current.close()
      await opened.dispose?.()
    })
    const subject: Subject = {
      store: () => current,
      reopen: async () => {
        current = await opened.reopen()
        return current
      },
    }
    runsContract(subject)
    repliesContract(subject)
    listsContract(subject)
    approvalsContract(subject)
    definitionsContract(subject)
    claimsContract(subject)
    cardsContract(subject)
    begunCallsContract(subject)
    callsContract(subject)
    orderContract(subject)
    sessionOrderContract(subject)
    careContract(subject)
    textsContract(subject)
  })
}
