/** The context and shape of every tool. */
import type { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import type { ControlTool, JobTool } from '../../core/tools/pawl-tool-names.ts'
import type { ProblemDocument } from '../api/problem.ts'
import type { ToolCaller } from './caller-mark.ts'
import type { ElicitingClient } from './elicit.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'
import type { RunPlace, RunReadings, RunResolver } from './resolve-run.ts'
import type { ToolSpeech } from './tool-names.ts'
import type { ToolResult } from './tool-result.ts'

export type ToolContext = {
  readonly link: ReconnectingClient
  readonly places: RunResolver
  readonly workspace: string
} & ToolSpeech

/** One call, with its arguments checked. */
export type ToolInvocation<Input> = {
  readonly who: ToolCaller
  readonly input: Input
  /** Raised when the client no longer wants the answer. */
  readonly signal: AbortSignal
  /** Tells a client that asked for it how a long call is getting on. */
  readonly progress: (message: string) => void
  /** Whom the client can ask; null: nobody. */
  readonly person: ElicitingClient | null
}

export type McpTool<Input extends z.ZodObject = z.ZodObject> = {
  readonly name: ControlTool | 'process_step' | JobTool
  readonly title: string
  readonly description: string
  readonly input: Input
  /** Told beside the run, as properties of a JSON schema. */
  readonly more?: JsonObject
  /** What it does: looks, changes the run, runs something, or puts it where no rule leads. */
  readonly effect: 'looks' | 'moves' | 'runs' | 'forces'
  /** What else a client may want to know of it, by a name of ours. */
  readonly meta?: Readonly<Record<string, JsonObject>>
  /** The error of arguments that do not fit, in a form of its own. */
  readonly errorOf?: (
    issues: readonly z.core.$ZodIssue[],
    detail: string,
  ) => ProblemDocument['error']
  readonly run: (context: ToolContext, call: ToolInvocation<z.output<Input>>) => Promise<ToolResult>
}

/** A tool whose arguments are known to be what its schema says. */
export function tool<Input extends z.ZodObject>(one: McpTool<Input>): McpTool {
  // WHY the cast: arguments are checked with the schema of the same tool before it runs.
  return one as unknown as McpTool
}

/** Where a run stands now. */
export function readPlace(
  { link }: ToolContext,
  { runId, branch }: RunPlace,
): Promise<RunReadings> {
  return link.ask('runs.read', branch === null ? { runId } : { runId, branch })
}
