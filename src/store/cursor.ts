/**
 * The cursor of a page: an opaque text that a caller sends back.
 * Knows the keys that a list is sorted by. Must not know what is listed.
 */
import { PawlError } from '../runtime/pawl-error.ts'

/** The values that the last item of a page is sorted by. */
export type Key = readonly (string | number)[]

type Widened<K extends Key> = {
  readonly [I in keyof K]: K[I] extends string ? string : number
}

/** A key as a text for a URL. */
function printCursor(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The key in a cursor, if it looks like this one; fault `REQUEST_INVALID`. */
export function parseCursor<const K extends Key>(cursor: string, like: K): Widened<K> {
  const key = readKey(cursor)
  const fits =
    Array.isArray(key) &&
    key.length === like.length &&
    key.every((value, index) => typeof value === typeof like[index])
  if (fits) return key as unknown as Widened<K>
  throw new PawlError(
    'REQUEST_INVALID',
    `\`${cursor.slice(0, 80)}\` is not a cursor of this list`,
    {
      hint: 'pass `next` from the previous page, or omit it for the first page',
    },
  )
}

function readKey(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

/** A page of rows of which one more than the limit was read. */
export function pageFrom<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => Key,
): { readonly items: readonly T[]; readonly next: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? printCursor(keyOf(last)) : null }
}

/** A text behind all that begin with a prefix. */
export const prefixEnd = (prefix: string): string => `${prefix}\u{10ffff}`
