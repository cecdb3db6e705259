/**
 * Delivers notifications: over which channels, when, and again until they arrive. What is due is
 * kept in the store's outbox; what was delivered is kept in a document. Decides nothing.
 */
import type { Clock } from '../runtime/clock.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { ApprovalQuestion } from '../runtime/people/approval-question.ts'
import type { DocumentStore, OutboxItem, RunHead } from '../runtime/ports.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type ApprovalLinks, sweepLinks } from './approval-links.ts'
import { type ChannelTools, sendMessage } from './channels.ts'
import { askingMessage, type Notification, newsMessage } from './message.ts'
import {
  type Delivery,
  type NotificationTask,
  noted,
  type Progress,
  planNotification,
} from './notification-plan.ts'
import { type News, newsKind } from './notifications-for.ts'
import type { Channel, NotificationKind, NotifySettings, Routes } from './settings.ts'

type Notifier = {
  /** Gives the moment at which there is more to tell of the same; undefined: that was all. */
  readonly deliver: (item: OutboxItem) => Promise<number | undefined>
  /** Tells at once what belongs to no run; false: not every channel has taken it. */
  readonly announce: (news: News) => Promise<boolean>
  /** Sends a word over every channel; gives what became of each. */
  readonly test: () => Promise<readonly Tested[]>
  /** Removes records of what was told long ago. */
  readonly sweep: () => Promise<void>
}

/** `problem` is null: it went through. */
type Tested = {
  readonly channel: string
  readonly type: string
  readonly problem: string | null
}

type NotifierOptions = {
  readonly settings: NotifySettings
  readonly documents: DocumentStore
  readonly clock: Clock
  readonly runtime: Pick<Runtime, 'readQuestion' | 'readHead'>
  readonly links: Pick<ApprovalLinks, 'make'>
  readonly machine: ChannelTools
  /** Where links lead; null: the door is not open yet. */
  readonly baseUrl: () => string | null
  /** Which of the channels a project wants; null: it does not say. */
  readonly projectRoutes: (workspace: string) => Routes | null
  readonly log: (what: string, fields: Readonly<Record<string, string>>) => void
}

export const notificationCollection = 'errand'
/** How long the record of an errand is kept whose run is gone. */
const errandMsMax = 400 * 86_400_000
/** A look at whether the door is open yet. */
const doorMs = 1_000

export function openNotifier(options: NotifierOptions): Notifier {
  const { settings, documents, clock } = options
  return {
    deliver: (item) => deliver(options, item),
    announce: (news) => announce(options, news),
    test: () => Promise.all(settings.channels.map((channel) => test(options, channel))),
    sweep: () => sweepLinks(documents, notificationCollection, clock.now() - errandMsMax),
  }
}

async function deliver(options: NotifierOptions, item: OutboxItem): Promise<number | undefined> {
  if (options.settings.channels.length === 0) return undefined
  if (options.baseUrl() === null) return options.clock.now() + doorMs
  if (item.kind === newsKind) return tellNews(options, item)
  return item.kind === 'notify-person' ? ask(options, item) : undefined
}

async function ask(options: NotifierOptions, item: OutboxItem): Promise<number | undefined> {
  // WHY the cast: this is an effect of our own engine, stored unchanged.
  const { approvalId } = JSON.parse(item.data) as { readonly approvalId: string }
  const question = await knownQuestion(options, approvalId)
  // Somebody was faster than this message, or the run is gone.
  if (question === null || question.row.status !== 'pending') return forget(options, item)
  const { row, head } = question
  const kind = kindOf(question)
  const errand: NotificationTask = {
    kind,
    askedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    isOpen: true,
    channels: channelsFor(options, kind, head),
  }
  return work(options, { item, errand }, async ({ round }, channel, id) => {
    const isShown = channel.shows === 'all' && channel.type !== 'desktop'
    const secret = isShown ? await options.links.make(question, channel.person) : null
    const link = secret === null ? null : `${options.baseUrl()}/decide/${secret}`
    const { shows } = channel
    return askingMessage({ id, at: row.requestedAt, kind, question, round, link, shows })
  })
}

/** WHY by dialect: a process says `notify_human` where a workflow has a gate. */
function kindOf({ row, head }: ApprovalQuestion): NotificationKind {
  if (row.kind === 'call') return 'ask'
  return head.dialect === 'process' ? 'notify_human' : 'gate'
}

async function knownQuestion(
  { runtime }: NotifierOptions,
  id: string,
): Promise<ApprovalQuestion | null> {
  try {
    return await runtime.readQuestion(id)
  } catch (fault) {
    if (fault instanceof PawlError && fault.code === 'APPROVAL_UNKNOWN') return null
    throw fault
  }
}

async function tellNews(options: NotifierOptions, item: OutboxItem): Promise<number | undefined> {
  // WHY the cast: only this module writes such entries of the outbox.
  const news = JSON.parse(item.data) as News
  const head = await options.runtime.readHead(item.runId)
  const { kind, at: askedAt } = news
  const channels = channelsFor(options, kind, head)
  const errand: NotificationTask = { kind, askedAt, expiresAt: null, isOpen: false, channels }
  return work(options, { item, errand }, async (_, __, id) => newsMessage({ id, news, head }))
}

async function announce(options: NotifierOptions, news: News): Promise<boolean> {
  const { kind, at } = news
  const sent = (options.settings.when[kind] ?? []).map((channel) => {
    const delivery = { key: `first/${channel}`, round: 'first', channel } as const
    const id = `${kind}-${at}/${delivery.key}`
    return tell(options, delivery, async () => newsMessage({ id, news, head: null }))
  })
  return (await Promise.all(sent)).every((ok) => ok)
}

/** What a project says counts among the person's channels; a question always reaches somebody. */
function channelsFor(
  { settings, projectRoutes }: NotifierOptions,
  kind: NotificationKind,
  head: RunHead | null,
): readonly string[] {
  const own = settings.when[kind] ?? []
  const wished = head?.workspace == null ? null : (projectRoutes(head.workspace)?.[kind] ?? null)
  if (wished === null) return own
  const known = wished.filter((name) => settings.channels.some((one) => one.name === name))
  // WHY: a file of the repository must not silence what waits for a person.
  return known.length === 0 && kind !== 'run' && kind !== 'job' ? own : known
}

type Work = { readonly item: OutboxItem; readonly errand: NotificationTask }
type Compose = (delivery: Delivery, channel: Channel, id: string) => Promise<Notification>

/** Does what is due of an errand, notes it, and says when there is more. */
async function work(
  options: NotifierOptions,
  { item, errand }: Work,
  compose: Compose,
): Promise<number | undefined> {
  const { settings, documents, clock } = options
  const document = await documents.readDocument(notificationCollection, item.id)
  // WHY the cast: nobody but this file writes this collection.
  let progress = document === null ? {} : (JSON.parse(document.data) as Progress)
  const { due, skipped } = planNotification(errand, { ...settings, progress }, clock.now())
  for (const { key } of skipped) progress = { ...progress, [key]: { outcome: 'skipped' } }
  const outcomes = await Promise.all(
    due.map(async (delivery) => {
      const id = `${item.id}/${delivery.key}`
      const ok = await tell(options, delivery, (channel) => compose(delivery, channel, id))
      return { delivery, ok }
    }),
  )
  const at = clock.now()
  for (const { delivery, ok } of outcomes) progress = noted(progress, delivery, { ok, at })
  const next = planNotification(errand, { ...settings, progress }, at)
  const moreAt = next.due.length > 0 ? at : next.moreAt
  if (moreAt === undefined) return forget(options, item)
  if (due.length + skipped.length > 0) {
    const data = JSON.stringify(progress)
    await documents.writeDocuments([
      { collection: notificationCollection, key: item.id, expected: null, data, at },
    ])
  }
  return moreAt
}

async function forget({ documents, clock }: NotifierOptions, item: OutboxItem): Promise<undefined> {
  const change = { collection: notificationCollection, key: item.id, expected: null, data: null }
  await documents.writeDocuments([{ ...change, at: clock.now() }])
  return undefined
}

/** Whether it went through. A channel that fails must not hold up the others. */
async function tell(
  { settings, machine, log }: NotifierOptions,
  { channel: name, key }: Delivery,
  compose: (channel: Channel) => Promise<Notification>,
): Promise<boolean> {
  const channel = settings.channels.find((one) => one.name === name)
  // It was configured when the errand began, and is no more.
  if (channel === undefined) return true
  try {
    await sendMessage(channel, await compose(channel), machine)
    return true
  } catch (fault) {
    log('a message could not be delivered', {
      channel: name,
      delivery: key,
      fault: faultText(fault),
    })
    return false
  }
}

function faultText(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}

async function test({ machine, clock }: NotifierOptions, channel: Channel): Promise<Tested> {
  const { name, type } = channel
  const at = clock.now()
  const title = `Pawl reaches you here (${name})`
  const text = 'This is a test: nothing is waiting for you.'
  const facts = { type: 'test' }
  const message = { id: `test-${name}-${at}`, kind: 'test', at, title, text, link: null, facts }
  try {
    await sendMessage(channel, message as Notification, machine)
    return { channel: name, type, problem: null }
  } catch (fault) {
    return { channel: name, type, problem: faultText(fault) }
  }
}
