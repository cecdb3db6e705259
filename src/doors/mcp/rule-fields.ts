/**
 * The rules of a stage in tool results: only those that exist, with the field names of the
 * workflow dialect. Does not know runs.
 */
import type { RuleSummary } from '../../core/dialects/rule-summary.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { usdOf } from '../../core/money.ts'
import { lookingText, spellTools } from '../../core/tools/spell-tools.ts'

/** The rules, and what is left of them. */
export function ruleFieldsOf(rules: RuleSummary, host: AgentHostId | null): JsonObject {
  const { tools, toolsDenied, commands, commandTool, files, calls, runCalls, bytes } = rules
  const { envBlocked, envSet, editLinesMax, filesWritable, paths, minIsolation } = rules
  const { programsDenied } = rules
  return {
    ...toolFieldsOf(tools, host),
    ...(toolsDenied.length === 0
      ? {}
      : { disallowed_tools: [...spellTools(toolsDenied, host).names] }),
    ...(commands === null
      ? {}
      : { allowed_commands: [...commands], allowed_commands_tool: commandTool }),
    ...(programsDenied.length === 0 ? {} : { programs: { deny: [...programsDenied] } }),
    ...(envBlocked.length === 0 ? {} : { blocked_env: [...envBlocked] }),
    ...(envSet.length === 0 ? {} : { env_overrides: [...envSet] }),
    ...(editLinesMax === null ? {} : { max_edit_lines: editLinesMax }),
    ...(filesWritable === null ? {} : { writable_files: [...filesWritable] }),
    ...(files === null
      ? {}
      : { max_files_per_state: files.max, files_changed: [...files.changed] }),
    ...(calls === null ? {} : { max_iterations: calls.max, calls_left: calls.left }),
    ...(runCalls === null ? {} : { calls_max: runCalls.max, run_calls_left: runCalls.left }),
    ...(bytes === null ? {} : { context_budget_bytes: bytes.max, bytes_left: bytes.left }),
    ...(paths === null ? {} : { paths: { read: [...paths.read], write: [...paths.write] } }),
    ...(minIsolation === null ? {} : { min_isolation: minIsolation }),
    ...mailOf(rules),
    ...moneyOf(rules),
  }
}

function toolFieldsOf(tools: RuleSummary['tools'], host: AgentHostId | null): JsonObject {
  if (tools === 'all') return { allowed_tools: null }
  const spelled = spellTools(tools, host)
  const looking = lookingText(spelled, host)
  return { allowed_tools: [...spelled.names], ...(looking === '' ? {} : { looking }) }
}

function mailOf({ mail }: RuleSummary): JsonObject {
  if (mail === null) return {}
  const { mailsMax, from, to } = mail
  const email = {
    ...(mailsMax === null ? {} : { max_emails_per_session: mailsMax }),
    ...(from === null ? {} : { allowed_from: [...from] }),
    ...(to === null ? {} : { allowed_to: [...to] }),
  }
  return { email_config: email }
}

function moneyOf({ budgets, rates }: RuleSummary): JsonObject {
  const money = budgets.map(({ of, period, spentMicroUsd, maxMicroUsd }) => ({
    ...{ of, period, max_usd: usdOf(maxMicroUsd) },
    left_usd: usdOf(Math.max(0, maxMicroUsd - spentMicroUsd)),
  }))
  const calls = rates.map(({ capability, windowMs, left, max }) => ({
    ...{ capability, window_seconds: windowMs / 1_000, calls_max: max, calls_left: left },
  }))
  return {
    ...(money.length === 0 ? {} : { budgets: money }),
    ...(calls.length === 0 ? {} : { rates: calls }),
  }
}

/** Their JSON schema, as properties. */
export const ruleFieldsSchema: JsonObject = {
  allowed_tools: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'null for any tool',
  },
  looking: { type: 'string', description: 'what stands in for tools that are not here' },
  disallowed_tools: texts('tools that may not be used'),
  allowed_commands: texts('the only commands that may be run'),
  allowed_commands_tool: {
    type: 'string',
    description: 'the tool that `allowed_commands` applies to',
  },
  programs: {
    type: 'object',
    description: 'programs that may not be started',
    properties: { deny: texts('their names') },
  },
  blocked_env: texts('variables that no command may read or set'),
  env_overrides: texts('variables set for commands; values are not shown'),
  max_edit_lines: { type: 'integer', description: 'lines of one edit' },
  max_files_per_state: { type: 'integer' },
  files_changed: texts('files that count towards `max_files_per_state`'),
  max_iterations: { type: 'integer', description: 'calls in this state' },
  calls_left: { type: 'integer', description: 'calls left in this state' },
  calls_max: { type: 'integer', description: 'calls in the whole run' },
  run_calls_left: { type: 'integer', description: 'calls left in the whole run' },
  context_budget_bytes: { type: 'integer', description: 'bytes of results in this state' },
  bytes_left: { type: 'integer', description: 'bytes of results left in this state' },
  paths: {
    type: 'object',
    description: 'files outside the workspace that file tools may use',
    properties: { read: texts('to read'), write: texts('to write') },
  },
  min_isolation: { type: 'string', description: 'the isolation level that jobs need at least' },
  email_config: { type: 'object', description: 'limits on mail' },
  budgets: {
    type: 'array',
    description: 'money left for this run, its parent runs, and by policies',
    items: {
      type: 'object',
      properties: {
        of: { type: 'string' },
        period: { enum: ['run', 'hourly', 'daily', 'monthly'] },
        max_usd: { type: 'number' },
        left_usd: { type: 'number' },
      },
    },
  },
  rates: { type: 'array', description: 'calls left by policies', items: { type: 'object' } },
}

function texts(description: string): Json {
  return { type: 'array', items: { type: 'string' }, description }
}
