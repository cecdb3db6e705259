/**
 * What the parts of the contract share: the store of the test, and walking through its lists.
 */
import type { Page, PageQuery, Store } from '../runtime/ports.ts'

/** The store of the test that runs. */
export type Subject = {
  readonly store: () => Store
  readonly reopen: () => Promise<Store>
}

/** Every item of a list, page by page; a list that never ends fails. */
export async function allPages<T>(
  list: (query: PageQuery) => Promise<Page<T>>,
  limit: number,
): Promise<readonly (readonly T[])[]> {
  const pages: (readonly T[])[] = []
  const pagesMax = 1_000
  for (let after: string | null = null; pages.length < pagesMax; ) {
    const page: Page<T> = await list({ after, limit })
    pages.push(page.items)
    if (page.next === null) return pages
    after = page.next
  }
  throw new Error('this list has no last page')
}
