/**
 * A map with a limit: the least recently used entries are removed.
 * WHY not one map whose entries move to the end when used: V8 reallocates a map that is constantly
 * changed, and old tables keep entries alive until a full garbage collection.
 */
type LruMap<V> = {
  readonly get: (name: string) => V | undefined
  readonly put: (name: string, value: V) => void
  readonly drop: (name: string) => void
  readonly size: () => number
}

/** Keeps at most `countMax`, and always that half of them that was used last. */
export function openLruMap<V>(countMax: number): LruMap<V> {
  let fresh = new Map<string, V>()
  let older = new Map<string, V>()
  const put = (name: string, value: V): void => {
    fresh.set(name, value)
    older.delete(name)
    if (fresh.size * 2 < countMax) return
    older = fresh
    fresh = new Map()
  }
  return {
    get: (name) => {
      const known = fresh.get(name)
      if (known !== undefined) return known
      const found = older.get(name)
      if (found !== undefined) put(name, found)
      return found
    },
    put,
    drop: (name) => {
      fresh.delete(name)
      older.delete(name)
    },
    size: () => fresh.size + older.size,
  }
}
