/** A machine by its hash. */
import { useEffect, useState } from 'react'
import type { Machine } from '../../src/core/machine/machine.ts'
import { readMachine } from './machine-cache.ts'

/** Null: it is not known yet. */
export function useMachine(hash: string): Machine | null {
  const [machine, setMachine] = useState<Machine | null>(null)
  useEffect(() => {
    let isCurrent = true
    readMachine(hash)
      .then((found) => {
        if (isCurrent) setMachine(found)
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [hash])
  return machine?.hash === hash ? machine : null
}
