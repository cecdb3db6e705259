/**
 * The `notify` section of `config.json`, and `.pawl/notify.json` of a project, which can only
 * choose among the configured channels.
 */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { readTree, withPick } from '../core/dialects/validate-tree.ts'
import { own } from '../core/json.ts'
import { readSource } from '../core/source/read-source.ts'
import { memberOf, type Node } from '../core/source/source.ts'
import {
  type Channel,
  type NotificationKind,
  type NotifySettings,
  notificationKinds,
  type Quiet,
  type Routes,
} from '../notify/settings.ts'
import { bareAddress } from '../notify/smtp.ts'
import { readWorkspaceText } from '../runtime/definitions/read-definition.ts'
import { PawlError } from '../runtime/pawl-error.ts'

const httpUrl = z.string().regex(/^https?:\/\/[^\s]+$/)
const name = z.string().min(1).max(100)
const file = name.describe(
  'File that contains the secret; the path is relative to the data directory.',
)

const common = {
  person: name.optional().describe('The person in whose name links sent here decide.'),
  shows: z
    .enum(['all', 'question'])
    .optional()
    .describe('`question` sends only the question, without details or a link.'),
}

const webhook = z.strictObject({
  type: z.literal('webhook').describe('Sends each notification as an HTTP POST request.'),
  url: httpUrl.describe('URL that receives the requests.'),
  secretFile: file.optional(),
  ...common,
})
const mail = z.strictObject({
  type: z.literal('mail').describe('Sends notifications by email.'),
  host: name.describe('Host name of the mail server.'),
  port: z.int().min(1).max(65_535).describe('Port of the mail server.'),
  secure: z.enum(['tls', 'starttls', 'none']).describe('How the connection is encrypted.'),
  user: name.optional().describe('User name to log in with.'),
  passwordFile: file.optional(),
  from: name.describe('Address of the sender.'),
  to: z.array(name).min(1).max(100).describe('Addresses of the recipients.'),
  ...common,
})
const slack = z.strictObject({
  type: z.literal('slack').describe('Posts notifications to a Slack channel.'),
  url: httpUrl.describe('URL of an incoming webhook.'),
  ...common,
})
const ntfy = z.strictObject({
  type: z.literal('ntfy').describe('Sends push notifications through ntfy.'),
  server: httpUrl.describe('URL of the ntfy server.'),
  topic: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .describe('Topic to publish to.'),
  tokenFile: file.optional(),
  ...common,
})
const desktop = z.strictObject({
  type: z.literal('desktop').describe('Shows notifications on the desktop of this machine.'),
  ...common,
})

const channels = { webhook, mail, slack, ntfy, desktop } as const

const channel = withPick(
  z.discriminatedUnion('type', [webhook, mail, slack, ntfy, desktop]),
  (node: Node) => {
    const type = memberOf(node, 'type')?.node
    const said = type?.kind === 'scalar' ? String(type.value) : ''
    const found = own<(typeof channels)[keyof typeof channels]>(channels, said)
    if (found !== undefined) return found
    const names = Object.keys(channels).map((one) => `\`${one}\``)
    return { message: 'a channel has no known `type`', hint: `use one of ${names.join(', ')}` }
  },
)

const channelsFor = (about: string) => z.array(name).optional().describe(`Channels for ${about}.`)

const routes = z
  .strictObject({
    gate: channelsFor('transitions that wait for an approval'),
    notify_human: channelsFor('answers that wait for a review'),
    ask: channelsFor('tool calls that wait for an approval'),
    budget: channelsFor('budget warnings'),
    job: channelsFor('jobs that ended'),
    run: channelsFor('runs that ended'),
    guard: channelsFor('problems with the guard itself, such as removed hooks'),
  } satisfies Record<NotificationKind, z.ZodType>)
  .describe('The channels to use for each kind of notification, by name.')

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

export const notifySchema = z.strictObject({
  channels: z.record(z.string(), channel).describe('The channels by name.'),
  when: routes.optional(),
  quiet: z
    .strictObject({
      from: time.describe('Start of the quiet hours, such as `22:00`.'),
      to: time.describe('End of the quiet hours, such as `07:00`.'),
      timeZone: name
        .optional()
        .describe("Time zone, such as `Europe/Berlin`. Default: the machine's."),
      urgent: z
        .array(z.enum(notificationKinds))
        .optional()
        .describe('Kinds of notification that are sent even then.'),
    })
    .optional()
    .describe('Hours during which only urgent notifications are sent.'),
  remindMinutes: z
    .number()
    .gt(0)
    .max(10_080)
    .optional()
    .describe('Minutes between reminders of a pending approval.'),
  escalate: z
    .strictObject({
      afterMinutes: z
        .number()
        .gt(0)
        .max(10_080)
        .describe('Minutes after which the additional channels are notified.'),
      to: z.array(name).min(1).describe('Names of the additional channels.'),
    })
    .optional()
    .describe('Additional channels to notify if nobody has decided in time.'),
})

type NotifyFile = z.infer<typeof notifySchema>

/** The channel of the old setting `webhook: {url}`: nothing but questions goes out there. */
const shorthandName = 'config.webhook'

type NotifyDefaults = {
  readonly webhookUrl: string | null
  /** The data directory. */
  readonly folder: string
  /** The person whose links a channel sends if it names nobody. */
  readonly owner: string
}

/** The settings that a file means. Faults: `CONFIG_INVALID`. */
export function notifySettingsOf(
  file: NotifyFile | undefined,
  around: NotifyDefaults,
): NotifySettings {
  const { escalate, quiet, remindMinutes, when = {} } = file ?? {}
  const own = Object.entries(file?.channels ?? {}).map(([called, written]) =>
    channelOf(called, written, around),
  )
  const names = own.map((one) => one.name)
  refuseUnknown([...Object.values(when).flat(), ...(escalate?.to ?? [])], names)
  return {
    channels: [...own, ...shorthandOf(around)],
    when: routesOf(when, names, around),
    quiet: quiet === undefined ? null : quietOf(quiet),
    remindMs: remindMinutes === undefined ? null : remindMinutes * minuteMs,
    escalate:
      escalate === undefined
        ? null
        : { afterMs: escalate.afterMinutes * minuteMs, to: escalate.to },
  }
}

const minuteMs = 60_000
const asking: ReadonlySet<NotificationKind> = new Set(['gate', 'notify_human', 'ask'])

function shorthandOf({ webhookUrl, owner }: NotifyDefaults): readonly Channel[] {
  if (webhookUrl === null) return []
  const whose = { name: shorthandName, person: owner, shows: 'question' } as const
  return [{ type: 'webhook', url: webhookUrl, ...whose }]
}

type Wishes = NonNullable<NotifyFile['when']>

/**
 * What asks somebody, a budget near its end, and a guard that is not in force go everywhere unless
 * it is set otherwise.
 */
function routesOf(when: Wishes, names: readonly string[], { webhookUrl }: NotifyDefaults): Routes {
  const entries = notificationKinds.map((kind) => {
    const isUsual = asking.has(kind) || kind === 'budget' || kind === 'guard'
    const shorthand = webhookUrl !== null && asking.has(kind) ? [shorthandName] : []
    return [kind, [...(when[kind] ?? (isUsual ? names : [])), ...shorthand]] as const
  })
  return Object.fromEntries(entries)
}

function definedOf(when: Wishes): Routes {
  return Object.fromEntries(Object.entries(when).filter(([, names]) => names !== undefined))
}

function channelOf(
  called: string,
  written: NotifyFile['channels'][string],
  at: NotifyDefaults,
): Channel {
  const { person = at.owner, shows = 'all', ...rest } = written
  const from = (path: string): string => resolve(at.folder, path)
  const whose = { name: called, person, shows }
  switch (rest.type) {
    case 'webhook': {
      const { secretFile, ...plain } = rest
      return { ...plain, ...whose, ...(secretFile && { secretFile: from(secretFile) }) }
    }
    case 'mail': {
      const { passwordFile, user, ...plain } = rest
      for (const address of [plain.from, ...plain.to]) refuseAddress(called, address)
      const login = {
        ...(user && { user }),
        ...(passwordFile && { passwordFile: from(passwordFile) }),
      }
      return { ...plain, ...whose, ...login }
    }
    case 'ntfy': {
      const { tokenFile, ...plain } = rest
      return { ...plain, ...whose, ...(tokenFile && { tokenFile: from(tokenFile) }) }
    }
    default:
      return { ...rest, ...whose }
  }
}

function refuseAddress(called: string, address: string): void {
  try {
    bareAddress(address)
  } catch (cause) {
    const hint = 'write `name@example.org` or `Name <name@example.org>`'
    const message = `the channel \`${called}\` has an invalid address: \`${address}\``
    throw new PawlError('CONFIG_INVALID', message, { hint, cause })
  }
}

function refuseUnknown(wished: readonly (string | undefined)[], names: readonly string[]): void {
  const unknown = wished.find((one) => one !== undefined && !names.includes(one))
  if (unknown === undefined) return
  const hint = `channels are ${names.map((one) => `\`${one}\``).join(', ') || 'not set yet'}`
  throw new PawlError('CONFIG_INVALID', `the channel \`${unknown}\` does not exist`, { hint })
}

function quietOf({ from, to, timeZone, urgent }: NonNullable<NotifyFile['quiet']>): Quiet {
  if (timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone })
    } catch (cause) {
      const hint = 'write one like `Europe/Berlin`'
      const message = `the time zone \`${timeZone}\` does not exist`
      throw new PawlError('CONFIG_INVALID', message, { hint, cause })
    }
  }
  const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  return {
    from: minutes(from),
    to: minutes(to),
    timeZone: timeZone ?? null,
    urgent: urgent ?? [],
  }
}

const projectSchema = z.strictObject({ when: routes.optional() })
const projectBytesMax = 64 * 1024

type Remark = (what: string, fields: Readonly<Record<string, string>>) => void

/** What a project wishes; null: nothing, or nothing that can be read. */
export function readProjectRoutes(workspace: string, remark: Remark): Routes | null {
  const path = join(workspace, '.pawl', 'notify.json')
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return null
    if (!stats.isFile() || stats.size > projectBytesMax) throw new Error('it is too large')
    const { root, findings } = readSource(readWorkspaceText(path, workspace), 'json')
    const shape = root?.kind === 'object' ? readTree(projectSchema, root) : null
    const problems = [...findings, ...(shape?.findings ?? [])]
    const first = problems.find((one) => one.severity === 'error')
    if (first !== undefined || shape?.value == null) {
      throw new Error(first?.message ?? 'it is not a JSON object')
    }
    return definedOf(shape.value.when ?? {})
  } catch (fault) {
    // WHY not a fault: a file of the repository must not keep people from being told.
    remark('the notification settings of a project are ignored', { path, fault: String(fault) })
    return null
  }
}
