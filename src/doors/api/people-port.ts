/**
 * People who are elsewhere: the links by which they decide, and the channels that reach them.
 */
import type { DecideLinks } from '../../runtime/people/decide-link.ts'

export type PeoplePort = {
  readonly links: DecideLinks
  /** Sends a word over every channel. */
  readonly test: () => Promise<readonly TestedChannel[]>
}

/** `problem` is null: it went through. */
type TestedChannel = {
  readonly channel: string
  readonly type: string
  readonly problem: string | null
}
