/** A value that notifies its subscribers of changes, at most once per frame. */
import { useSyncExternalStore } from 'react'

export type ValueStore<T> = {
  readonly get: () => T
  readonly set: (change: (value: T) => T) => void
  readonly listen: (listener: () => void) => () => void
}

/** Opens a store. */
export function openValueStore<T>(initial: T): ValueStore<T> {
  let value = initial
  let isDue = false
  const listeners = new Set<() => void>()
  const tell = (): void => {
    isDue = false
    for (const listener of listeners) listener()
  }
  return {
    get: () => value,
    set: (change) => {
      const next = change(value)
      if (Object.is(next, value)) return
      value = next
      if (isDue) return
      isDue = true
      // WHY not a frame alone: a page in the background gets none, and would fall behind.
      if (document.hidden) setTimeout(tell, 200)
      else requestAnimationFrame(tell)
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value of a store, as it changes. */
export function useValueStore<T>(store: ValueStore<T>): T {
  return useSyncExternalStore(store.listen, store.get)
}
