/** The current page: the part of the URL after `#`, which is never sent to a server. */
import { useSyncExternalStore } from 'react'

export type PageRoute = {
  readonly page: string
  readonly id: string
  readonly rest: readonly string[]
}

/** The route of now, as it changes. */
export function useRoute(): PageRoute {
  const hash = useSyncExternalStore(listen, () => location.hash)
  const [page = '', id = '', ...rest] = hash.replace(/^#\/?/, '').split('/').map(decoded)
  return { page: page === '' ? 'home' : page, id, rest }
}

/** What is no address leads nowhere, and breaks nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a page. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`
}

/** Goes to a page. */
export function goTo(...parts: readonly string[]): void {
  location.hash = linkTo(...parts)
}

function listen(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
