/** Inputs and answers of the operations for the dashboard. */
import { z } from 'zod'
import type { Terms } from './contract.ts'
import type { DashboardOperation } from './dashboard-operations.ts'
import { accesses } from './sign-in-access.ts'
import {
  countSchema,
  jsonObjectSchema,
  momentSchema,
  moneySchema,
  nameSchema,
} from './wire-schemas.ts'

const access = z.enum(accesses)

const numbers = { calls: countSchema, denied: countSchema, asked: countSchema }
const policyRule = z.object({
  tier: z.enum(['deny', 'ask', 'allow']),
  capability: z.string(),
  rate: z.object({ callsMax: countSchema, windowMs: countSchema }).nullable(),
  budget: z
    .object({ microUsdMax: moneySchema, period: z.enum(['hourly', 'daily', 'monthly']) })
    .nullable(),
  pointer: z.string(),
  shadowed: z.string().nullable().describe('why the rule can never match; null if it can'),
})

const changedFile = z.object({
  path: z.string(),
  kind: z.enum(['added', 'changed', 'deleted']),
  added: countSchema,
  removed: countSchema,
  hunks: z.array(
    z.object({
      oldStart: countSchema.describe('the first line before; 0 if not known'),
      newStart: countSchema.describe('the first line after; 0 if not known'),
      lines: z.array(z.object({ kind: z.enum(['same', 'add', 'del']), text: z.string() })),
    }),
  ),
  linesCut: countSchema.describe('lines left out here; ask for the file alone to get them'),
  note: z
    .enum(['binary', 'large', 'mode', 'link', 'unreadable', 'repository'])
    .nullable()
    .describe(
      'why there is no diff; null if there is one. `link`: a link, or a file behind one; ' +
        '`repository`: a nested repository; its files are not compared',
    ),
  isEarlier: z
    .boolean()
    .describe('whether the change was there before the run began; such files come last'),
})

export const dashboardContract = {
  me: {
    input: z.strictObject({}),
    answer: z.object({
      role: z.enum(['agent', 'person']),
      name: z.string(),
      access: access.describe('what a person may do; an agent can only read'),
    }),
  },
  'signIns.invite': {
    input: z.strictObject({ access: access.default('admin') }),
    answer: z.object({ code: z.string(), access, expiresAt: momentSchema }),
  },
  'runs.changes': {
    input: z.strictObject({
      runId: nameSchema,
      path: z.string().min(1).max(4_096).optional().describe('only this file, with all lines'),
    }),
    answer: z.object({
      source: z
        .enum(['git', 'log', 'none'])
        .describe('`git`: compared with `commit`; `log`: the edits that the agent made'),
      commit: z.string().nullable().describe('the commit at the start of the run'),
      folder: z.string().nullable(),
      files: z.array(changedFile),
      filesCut: countSchema.describe('changed files left out'),
    }),
  },
  'machines.read': {
    input: z.strictObject({ hash: nameSchema }),
    answer: z.object({ machine: jsonObjectSchema.describe('the compiled machine') }),
  },
  'hosts.list': {
    input: z.strictObject({}),
    answer: z.object({
      installs: z.array(
        z.object({ host: z.string(), workspace: z.string(), problems: z.array(z.string()) }),
      ),
      proof: z
        .object({
          at: momentSchema,
          paths: z.record(z.string(), z.string()).describe('the title of each path'),
          hosts: z.array(
            z.object({
              host: z.string(),
              version: z.string().nullable(),
              cells: z.record(z.string(), z.object({ outcome: z.string(), note: z.string() })),
              fault: z.string().nullable(),
            }),
          ),
        })
        .nullable()
        .describe('null if `pawl doctor --prove` has not run on this machine yet'),
    }),
  },
  'policies.list': {
    input: z.strictObject({}),
    answer: z.object({
      items: z.array(
        z.object({
          level: z.enum(['organisation', 'workspace', 'definition']),
          name: z.string(),
          role: z.string(),
          otherwise: z.enum(['allow', 'deny']),
          rules: z.array(policyRule),
          problem: z
            .string()
            .nullable()
            .describe('why the policy cannot be read (every call is then denied); null if it can'),
        }),
      ),
    }),
  },
  'stats.read': {
    input: z.strictObject({}),
    answer: z.object({
      runsCount: countSchema.describe('how many runs were counted; the latest runs are counted'),
      isPartial: z.boolean().describe('true if there are more runs or records than were counted'),
      days: z.array(z.object({ day: z.string().describe('UTC date'), ...numbers })),
      tools: z.array(z.object({ tool: z.string(), ...numbers })),
      rules: z.array(
        z.object({
          definition: z.string(),
          rule: z
            .string()
            .nullable()
            .describe('JSON pointer to a policy rule; null if no policy decided'),
          code: z.string().nullable(),
          says: z.enum(['deny', 'ask']),
          count: countSchema,
          last: z
            .object({ runId: z.string(), seq: countSchema, at: momentSchema })
            .describe('where the log has the latest of these calls'),
        }),
      ),
      definitions: z.array(
        z.object({
          name: z.string(),
          runs: countSchema,
          open: countSchema,
          wrong: countSchema.describe('number of runs that failed or were blocked'),
        }),
      ),
    }),
  },
} as const satisfies Readonly<Record<DashboardOperation, Terms>>
