/**
 * The settings of notifications: which channels, about what, when and how often.
 * Knows names and numbers. Must not know files or transports.
 */
import type { NotifySmtpServer } from './smtp.ts'

/**
 * What people are notified of; the first three ask for a decision. `guard`: something is wrong with
 * the guard itself, and agents may not be held.
 */
export const notificationKinds = [
  ...(['gate', 'notify_human', 'ask', 'budget', 'job', 'run', 'guard'] as const),
] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** Files are named by absolute paths. */
type ChannelSettings =
  | { readonly type: 'webhook'; readonly url: string; readonly secretFile?: string }
  | (NotifySmtpServer & {
      readonly type: 'mail'
      readonly from: string
      readonly to: readonly string[]
    })
  | { readonly type: 'slack'; readonly url: string }
  | {
      readonly type: 'ntfy'
      readonly server: string
      readonly topic: string
      readonly tokenFile?: string
    }
  | { readonly type: 'desktop' }

export type Channel = ChannelSettings & {
  readonly name: string
  /** Who decides by the links that go out here. */
  readonly person: string
  /** `question`: neither the details of the approval nor a link are sent. */
  readonly shows: 'all' | 'question'
}

/** Channels by kind; a kind that is missing has none. */
export type Routes = { readonly [K in NotificationKind]?: readonly string[] }

export type Quiet = {
  /** Minutes of the day, of the time zone; `to` may be before `from`: over midnight. */
  readonly from: number
  readonly to: number
  /** Null: that of the machine. */
  readonly timeZone: string | null
  /** Kinds that are told at any time. */
  readonly urgent: readonly NotificationKind[]
}

export type NotifySettings = {
  readonly channels: readonly Channel[]
  readonly when: Routes
  readonly quiet: Quiet | null
  /** Null: no reminders. */
  readonly remindMs: number | null
  readonly escalate: { readonly afterMs: number; readonly to: readonly string[] } | null
}
