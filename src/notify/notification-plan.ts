/**
 * Plans the deliveries of one notification: a first round, reminders, an escalation, each over
 * several channels, each retried until delivered. Pure, so that a restart at any moment continues
 * from its record.
 */
import { attemptsMax, retryMsAfter } from '../runtime/runs/due-work.ts'
import type { Round } from './message.ts'
import { quietUntil } from './quiet-hours.ts'
import type { NotificationKind, NotifySettings } from './settings.ts'

/** One message over one channel. */
export type Delivery = { readonly key: string; readonly round: Round; readonly channel: string }

/** What has become of deliveries, by their key. */
export type Progress = {
  readonly [key: string]:
    | { readonly outcome: 'told' | 'given up' | 'skipped' }
    | { readonly tries: number; readonly notBefore: number }
}

export type NotificationTask = {
  readonly kind: NotificationKind
  readonly askedAt: number
  /** Null: it does not run out. */
  readonly expiresAt: number | null
  /** Whether somebody has to decide: only then is anybody reminded. */
  readonly isOpen: boolean
  /** Channels of the first round. */
  readonly channels: readonly string[]
}

export type NotificationPlan = {
  readonly due: readonly Delivery[]
  /** Overtaken by a later round. */
  readonly skipped: readonly Delivery[]
  /** When there will be more; undefined: never. */
  readonly moreAt: number | undefined
}

/** Reminders of one question. */
export const remindersMax = 5

type PlanInput = NotifySettings & { readonly progress: Progress }

/** What to do now. */
export function planNotification(
  errand: NotificationTask,
  known: PlanInput,
  now: number,
): NotificationPlan {
  const { progress } = known
  const rounds = roundsOf(errand, known)
  const latest = rounds.findLast((round) => isReminder(round) && round.at <= now)
  const due: Delivery[] = []
  const skipped: Delivery[] = []
  let moreAt: number | undefined
  const later = (at: number): void => {
    moreAt = Math.min(moreAt ?? at, at)
  }
  for (const round of rounds) {
    for (const channel of round.channels) {
      const delivery = { key: `${round.name}/${channel}`, round: round.name, channel }
      const past = progress[delivery.key]
      if (past !== undefined && 'outcome' in past) continue
      const at = Math.max(round.at, past?.notBefore ?? 0)
      if (past === undefined && at <= now && isNeedless(round, channel, { latest, progress })) {
        skipped.push(delivery)
      } else if (at <= now) due.push(delivery)
      else later(at)
    }
  }
  return { due, skipped, moreAt }
}

type RoundAt = {
  readonly name: Round
  readonly at: number
  readonly channels: readonly string[]
}

function isReminder({ name }: RoundAt): boolean {
  return name.startsWith('reminder')
}

type Past = { readonly latest: RoundAt | undefined; readonly progress: Progress }

/**
 * A reminder that a later one has overtaken, or of what the channel has not told yet.
 * WHY: after hours without power nobody needs five of them at once.
 */
function isNeedless(round: RoundAt, channel: string, { latest, progress }: Past): boolean {
  if (!isReminder(round)) return false
  const first = progress[`first/${channel}`]
  const isTold = first !== undefined && 'outcome' in first && first.outcome === 'told'
  return round !== latest || !isTold
}

/** All rounds in the order of their moments. */
function roundsOf(errand: NotificationTask, known: NotifySettings): readonly RoundAt[] {
  const { expiresAt, channels, isOpen } = errand
  const { remindMs, escalate } = known
  // WHY from there: what was held back has not been told yet.
  const toldAt = heldBack(errand.askedAt, errand, known)
  const rounds: RoundAt[] = [{ name: 'first', at: toldAt, channels }]
  if (isOpen && remindMs !== null) {
    for (let count = 1; count <= remindersMax; count += 1) {
      rounds.push({ name: `reminder-${count}`, at: toldAt + count * remindMs, channels })
    }
  }
  if (isOpen && escalate !== null) {
    rounds.push({ name: 'escalation', at: toldAt + escalate.afterMs, channels: escalate.to })
  }
  return rounds
    .filter(({ at }) => expiresAt === null || at < expiresAt)
    .map((round) => ({ ...round, at: heldBack(round.at, errand, known) }))
    .sort((left, right) => left.at - right.at)
}

/** Quiet hours hold back what is not urgent, unless it would run out before they end. */
function heldBack(
  at: number,
  { kind, expiresAt }: NotificationTask,
  { quiet }: NotifySettings,
): number {
  // WHY never: while nobody knows of it, agents work without a guard.
  if (quiet === null || kind === 'guard' || quiet.urgent.includes(kind)) return at
  const loud = quietUntil(at, quiet)
  return expiresAt !== null && loud >= expiresAt ? at : loud
}

/** The record after a delivery went through, or did not. */
export function noted(
  progress: Progress,
  { key }: Delivery,
  outcome: { readonly ok: boolean; readonly at: number },
): Progress {
  if (outcome.ok) return { ...progress, [key]: { outcome: 'told' } }
  const past = progress[key]
  const tries = (past !== undefined && 'tries' in past ? past.tries : 0) + 1
  if (tries >= attemptsMax) return { ...progress, [key]: { outcome: 'given up' } }
  return { ...progress, [key]: { tries, notBefore: outcome.at + retryMsAfter(tries) } }
}
