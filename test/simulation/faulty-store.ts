/**
 * A store as a node sees it over a bad line: late, refusing, done without saying so, or the last
 * thing the node ever did. Knows calls. Must not know what they keep.
 */
import { PawlError } from '../../src/runtime/pawl-error.ts'
import type { Store } from '../../src/runtime/ports.ts'

/**
 * `refused`: nothing was done. `unknown`: it was done, and the answer is lost.
 * `dies`, `dies after`: the node, before or after it was done.
 */
export type Fate = 'fine' | 'refused' | 'unknown' | 'dies' | 'dies after'

/** The node that calls. */
export type Caller = {
  readonly isShared: boolean
  readonly fate: (call: string) => Fate
  /** Lets others go on. */
  readonly step: () => Promise<void>
  readonly die: () => void
  readonly onChange: Store['onChange']
  readonly tellChange: Store['tellChange']
}

export function faultyStore(raw: Store, caller: Caller): Store {
  const { isShared, onChange, tellChange } = caller
  const calls = Object.entries(raw).flatMap(([name, call]) =>
    typeof call === 'function' ? [[name, through(name, call as Call, caller)]] : [],
  )
  // WHY the cast: every call of the store was taken over under its own name.
  const wrapped = Object.fromEntries(calls) as Store
  const close = async (): Promise<void> => undefined
  return { ...wrapped, kind: raw.kind, isShared, onChange, tellChange, close }
}

type Call = (...args: readonly unknown[]) => Promise<unknown>

function through(name: string, call: Call, caller: Caller): Call {
  return async (...args) => {
    const fate = caller.fate(name)
    await caller.step()
    if (fate === 'dies') return dead(caller)
    if (fate === 'refused') throw unavailable(name)
    const result = await call(...args)
    if (fate === 'dies after') return dead(caller)
    await caller.step()
    if (fate === 'unknown') throw unavailable(name)
    return result
  }
}

function dead(caller: Caller): Promise<never> {
  caller.die()
  return new Promise(() => undefined)
}

function unavailable(name: string): PawlError {
  return new PawlError('STORE_UNAVAILABLE', `\`${name}\` was cut off`, { hint: 'try again' })
}
