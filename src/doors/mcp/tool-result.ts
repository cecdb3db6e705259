/**
 * Formats tool results for MCP: values that match the schema, and text. A refusal is a result too:
 * a code, what happened, what to do next, and the state of the run.
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ProblemDocument } from '../api/problem.ts'
import type { ElicitQuestion } from './elicit.ts'
import type { RunReadings } from './resolve-run.ts'
import { nextLine, runSummary, runSummarySchema } from './run-summary.ts'
import type { ToolSpeech } from './tool-names.ts'

/** Characters of the text of one answer. */
const textCharsMax = 100_000

export type ToolResult = {
  /** The run it is about; null: none. */
  readonly reading: RunReadings | null
  readonly text: string
  /** Beside the run. */
  readonly more?: JsonObject
  /** What the client has to ask its person before there is an answer. Absent: nothing. */
  readonly question?: ElicitQuestion
}

export function toolResultOf(
  { reading, text, more = {} }: ToolResult,
  speech: ToolSpeech,
): CallToolResult {
  const run = reading === null ? null : runSummary(reading, speech)
  return { content: [textPart(text)], structuredContent: { ok: true, run, ...more } }
}

export function refusalOf(
  problem: ProblemDocument,
  reading: RunReadings | null,
  speech: ToolSpeech,
): CallToolResult {
  const { code, detail, hint, missing, issues, findings, error: job } = problem
  const error: Record<string, Json> = { code, message: detail, hint, ...(job as JsonObject) }
  if (missing !== undefined) error.missing = [...missing]
  if (issues !== undefined) error.issues = issues.map((one) => ({ ...one }))
  if (findings !== undefined) error.findings = findings.map((one) => ({ ...one }))
  const run = reading === null ? null : runSummary(reading, speech)
  const lines = [
    `${code}: ${detail}`,
    ...(hint === '' ? [] : [hint]),
    ...(reading === null ? [] : [whereText(reading, speech)]),
  ]
  return {
    content: [textPart(lines.join('\n'))],
    structuredContent: { ok: false, error, run },
    isError: true,
  }
}

/** What is possible now, in a line or two. */
function whereText(reading: RunReadings, speech: ToolSpeech): string {
  const { view } = reading
  const names = view.signals.map((name) => `\`${name}\``).join(', ')
  const can = names === '' || view.dialect === 'steps' ? '' : ` You can send ${names}.`
  return `The run is ${view.status} in \`${view.stage}\`.${can} ${nextLine(reading, speech)}`.trim()
}

function textPart(text: string): { type: 'text'; text: string } {
  const cut = text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}\n[cut]`
  return { type: 'text', text: cut }
}

/** The schema of every answer; `more` is what a tool says beside the run. */
export function outputSchema(more: JsonObject = {}): JsonObject & { readonly type: 'object' } {
  return {
    type: 'object',
    properties: {
      ok: { type: 'boolean', description: 'false if denied or rejected; `error` says why' },
      run: runSummarySchema,
      error: {
        type: 'object',
        properties: {
          code: { type: 'string' },
          message: { type: 'string' },
          hint: { type: 'string', description: 'what to do next' },
          missing: { type: 'array', items: { type: 'string' } },
          issues: { type: 'array', items: { type: 'object' } },
          findings: { type: 'array', items: { type: 'object' } },
        },
        required: ['code', 'message', 'hint'],
      },
      ...more,
    },
    required: ['ok', 'run'],
  }
}
