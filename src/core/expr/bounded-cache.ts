/** A cache with a limit: keeps what was compiled last. */

type Cache<T> = { readonly get: (key: string) => T }

/** A cache that makes what it lacks and drops what was used longest ago. */
export function newCache<T>(entriesMax: number, make: (key: string) => T): Cache<T> {
  const entries = new Map<string, { readonly value: T }>()
  return {
    get(key) {
      const known = entries.get(key)
      if (known !== undefined) {
        // A map keeps the order of insertion, so what is put in again is the youngest.
        entries.delete(key)
        entries.set(key, known)
        return known.value
      }
      const value = make(key)
      if (entries.size >= entriesMax) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest)
          break
        }
      }
      entries.set(key, { value })
      return value
    },
  }
}
