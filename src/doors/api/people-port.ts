/**
 * Notifications and remote approvals: the channels that reach people, and the links with which
 * they decide.
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
