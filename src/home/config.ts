/**
 * `config.json` of a data directory: the settings, with a default for each. Reads them; does not
 * act on them.
 */
import { dirname } from 'node:path'
import { z } from 'zod'
import { readTree } from '../core/dialects/validate-tree.ts'
import type { Finding } from '../core/finding.ts'
import { type ProofLevel, proofLevels } from '../core/machine/proof-levels.ts'
import { pricesSchema } from '../core/policy/prices-schema.ts'
import { type PriceTable, withPrices } from '../core/prices.ts'
import { readSource } from '../core/source/read-source.ts'
import { lineIndex, type Node, positionAt, positionOf } from '../core/source/source.ts'
import type { NotifySettings } from '../notify/settings.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { type AnchorSettings, anchorSettingsOf, anchorsSchema } from './config-anchors.ts'
import { type JobsConfig, jobsConfigOf, jobsSchema } from './config-jobs.ts'
import { notifySchema, notifySettingsOf } from './config-notify.ts'
import { type ProxyConfig, proxySchema } from './config-proxy.ts'
import { readPrivate } from './private-file.ts'
import { userName } from './user-name.ts'

const httpUrl = z.string().regex(/^https?:\/\/[^\s]+$/)

/** Less than the clients of hooks wait, and they less than the hosts. */
const askWaitSecondsMax = 50

export const configSchema = z.strictObject({
  database: z
    .string()
    .optional()
    .describe(
      'URL of a PostgreSQL database. Default: the SQLite file `pawl.db` next to this file.',
    ),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port for the HTTP server; 0 for any free port.'),
  approvalHours: z
    .number()
    .gt(0)
    .max(24 * 365)
    .optional()
    .describe('How long an approval stays open. It then expires and counts as refused.'),
  retention: z
    .strictObject({
      days: z.number().gt(0).optional().describe('Ended runs older than this are removed.'),
      megabytes: z
        .number()
        .gt(0)
        .optional()
        .describe('If the database is larger than this, the runs that ended first are removed.'),
    })
    .optional()
    .describe('When ended runs are removed. Default: never.'),
  approvals: z
    .strictObject({
      elicitation: z
        .boolean()
        .optional()
        .describe(
          "Whether a person may decide in a prompt by their agent's host (MCP). Default: false.",
        ),
      proof: z
        .enum(proofLevels)
        .optional()
        .describe(
          'How decisions must be proven: `passkey` needs a signature, `token` does not. ' +
            'Default: `passkey` as soon as somebody has added a passkey.',
        ),
    })
    .optional()
    .describe('Where people may decide approvals.'),
  hooks: z
    .strictObject({
      askWaitSeconds: z
        .int()
        .min(0)
        .max(askWaitSecondsMax)
        .optional()
        .describe('How long a call waits for an approval if its host has no prompt of its own.'),
      orderWaitSeconds: z
        .int()
        .min(0)
        .max(askWaitSecondsMax)
        .optional()
        .describe(
          'How long a call waits for a call in flight that a policy requires first, as far as ' +
            'its host can wait. Default: 50.',
        ),
      stopsMax: z
        .int()
        .min(0)
        .max(100)
        .optional()
        .describe(
          'How many times in a row an agent that stops early is sent back to its unfinished run.',
        ),
      otherSessions: z
        .enum(['refused', 'free'])
        .optional()
        .describe(
          'How to treat a session without a run while other sessions have runs in its folder.',
        ),
      promptApprovals: z
        .boolean()
        .optional()
        .describe(
          "Whether an answer at a host's own prompt decides a call that waits for approval. " +
            "Only the host's hook reports it, so nobody knows who answered. Default: false.",
        ),
    })
    .optional()
    .describe('Settings for the hooks in agent hosts.'),
  credentials: z
    .strictObject({
      sharedAgentToken: z
        .boolean()
        .optional()
        .describe(
          'Whether `agent.token` may change every run, without a credential. Default: false.',
        ),
    })
    .optional()
    .describe("How agents' programs identify themselves."),
  prices: pricesSchema.optional(),
  jobs: jobsSchema.optional(),
  proxy: proxySchema.optional(),
  otlp: httpUrl.optional().describe('URL to send spans to (OTLP over HTTP, JSON).'),
  webhook: z
    .strictObject({ url: httpUrl.describe('URL that receives every new approval.') })
    .optional()
    .describe('Short form of a channel that receives only approvals.'),
  notify: notifySchema.optional().describe('How people are notified of pending approvals.'),
  anchors: anchorsSchema
    .optional()
    .describe('Where copies of the last hash of the record are written.'),
  publicUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+$/)
    .optional()
    .describe(
      'Base URL of the links that people get: the address of a proxy in front of this daemon.',
    ),
})

type ConfigFile = z.infer<typeof configSchema>

export type Config = {
  /** Null: SQLite in the data directory. */
  readonly databaseUrl: string | null
  readonly port: number
  readonly approvalMs: number
  readonly retention: { readonly days: number | null; readonly megabytes: number | null }
  readonly hooks: {
    readonly askWaitMs: number
    readonly orderWaitMs: number
    readonly stopsMax: number
    readonly otherSessions: 'refused' | 'free'
    /** Whether an answer at the host's own prompt decides. */
    readonly promptApprovals: boolean
  }
  /** Whether what a person answers their agent's client counts as their decision. */
  readonly elicitation: boolean
  /** How decisions must be proven at least; null: as soon as there is a passkey, by one. */
  readonly proof: ProofLevel | null
  /** Whether `agent.token` may change every run. */
  readonly sharedAgentToken: boolean
  readonly prices: PriceTable
  readonly jobs: JobsConfig
  /** Null: agents send nothing through Pawl. */
  readonly proxy: ProxyConfig | null
  readonly otlpUrl: string | null
  readonly notify: NotifySettings
  readonly anchors: AnchorSettings
  readonly publicUrl: string | null
}

const hourMs = 3_600_000
const approvalHoursDefault = 24
const askWaitSecondsDefault = 30
const stopsMaxDefault = 3

/** The settings in a file; a missing file sets nothing. */
export function readConfig(path: string): Config {
  const text = readPrivate(path)
  return settingsOf(text === null ? {} : parseConfig(path, text), dirname(path))
}

function settingsOf(file: ConfigFile, folder: string): Config {
  const { days, megabytes } = file.retention ?? {}
  return {
    databaseUrl: file.database ?? null,
    port: file.port ?? 0,
    approvalMs: Math.round((file.approvalHours ?? approvalHoursDefault) * hourMs),
    retention: { days: days ?? null, megabytes: megabytes ?? null },
    hooks: {
      askWaitMs: (file.hooks?.askWaitSeconds ?? askWaitSecondsDefault) * 1_000,
      orderWaitMs: (file.hooks?.orderWaitSeconds ?? askWaitSecondsMax) * 1_000,
      stopsMax: file.hooks?.stopsMax ?? stopsMaxDefault,
      otherSessions: file.hooks?.otherSessions ?? 'refused',
      promptApprovals: file.hooks?.promptApprovals ?? false,
    },
    elicitation: file.approvals?.elicitation ?? false,
    proof: file.approvals?.proof ?? null,
    sharedAgentToken: file.credentials?.sharedAgentToken ?? false,
    prices: withPrices(file.prices ?? {}),
    jobs: jobsConfigOf(file.jobs),
    proxy: file.proxy ?? null,
    otlpUrl: file.otlp ?? null,
    notify: notifySettingsOf(file.notify, {
      webhookUrl: file.webhook?.url ?? null,
      folder,
      owner: userName(),
    }),
    anchors: anchorSettingsOf(file.anchors, folder),
    publicUrl: file.publicUrl ?? null,
  }
}

function parseConfig(path: string, text: string): ConfigFile {
  const { root, findings } = readSource(text, 'json')
  const shape = root?.kind === 'object' ? readTree(configSchema, root) : null
  const [first, ...others] = [...findings, ...(shape?.findings ?? [])].filter(
    (one) => one.severity === 'error',
  )
  const see = `see \`${path}\`${placeText(text, root, first)}`
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    // WHY: the walk speaks of limits of a definition, which a setting is not.
    const hint = first.code === 'LIMIT_INVALID' ? '' : first.hint
    const hints = hint === '' ? see : `${hint}; ${see}`
    throw new PawlError('CONFIG_INVALID', `${first.message}${more}`, { hint: hints })
  }
  const file = shape?.value ?? null
  if (file === null) throw new PawlError('CONFIG_INVALID', 'it is not a JSON object', { hint: see })
  refuseDatabase(file, see)
  return file
}

/** WHY by hand: an address may hold a password, which no message must repeat. */
function refuseDatabase({ database }: ConfigFile, see: string): void {
  if (database === undefined || /^postgres(ql)?:\/\/\S+$/.test(database)) return
  const hint = `write \`postgres://user:password@host/name\`, or omit it for SQLite; ${see}`
  throw new PawlError('CONFIG_INVALID', '`database` is not a PostgreSQL URL', { hint })
}

function placeText(text: string, root: Node | null, finding: Finding | undefined): string {
  const range = finding === undefined ? null : positionOf(root, finding)
  if (range === null) return ''
  const { line, column } = positionAt(lineIndex(text), range.start)
  return `, line ${line}, column ${column}`
}
