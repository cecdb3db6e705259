/**
 * The scripted agent of the demo. It has the token of an agent, asks before every call as a hook
 * would, and really reads and writes the files of the project.
 */
import { join } from 'node:path'
import { type Client, PawlProblem } from '../client/index.ts'
import type { JsonObject } from '../core/json.ts'
import { readProjectFile, writeProjectFile } from './demo-project.ts'
import type { DemoStep } from './demo-script.ts'
import { testCommand } from './demo-workflow.ts'

export type StepResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'tested'; readonly exitCode: number | null }
  | { readonly kind: 'moved'; readonly stage: string }
  | { readonly kind: 'waiting' }

export type DemoAgent = {
  readonly client: Client
  readonly runId: string
  /** The folder of the project. */
  readonly folder: string
}

/** Takes one step, if Pawl allows it. */
export async function takeStep(agent: DemoAgent, step: DemoStep): Promise<StepResult> {
  if (step.kind === 'signal') return sendSignal(agent, step.name, step.data)
  if (step.kind === 'test') return runTests(agent)
  const { client, runId, folder } = agent
  const { reply } = await client.runs.check({ runId, ...toolCall(folder, step) })
  if (reply.verdict !== 'allow' || reply.callId === null) {
    return { kind: 'denied', reason: reply.reason }
  }
  const output = perform(folder, step)
  await client.runs.report({ runId, callId: reply.callId, ok: true, output })
  return { kind: 'done' }
}

type FileStep = Exclude<DemoStep, { readonly kind: 'signal' | 'test' }>

/** The step as the tool call that a coding agent would make. */
function toolCall(
  folder: string,
  step: FileStep,
): { readonly tool: string; readonly input: JsonObject } {
  if (step.kind === 'shell') return { tool: 'Bash', input: { command: step.command } }
  const file_path = join(folder, step.path)
  if (step.kind === 'read') return { tool: 'Read', input: { file_path } }
  if (step.kind === 'write') return { tool: 'Write', input: { file_path, content: step.content } }
  const { before: old_string, after: new_string } = step
  return { tool: 'Edit', input: { file_path, old_string, new_string } }
}

function perform(folder: string, step: FileStep): string {
  if (step.kind === 'shell')
    throw new Error(`\`${step.command}\` was allowed, but the demo does not run it`)
  if (step.kind === 'read') return readProjectFile(folder, step.path)
  if (step.kind === 'write') {
    writeProjectFile(folder, step.path, step.content)
    return 'written'
  }
  const text = readProjectFile(folder, step.path)
  writeProjectFile(folder, step.path, text.replace(step.before, step.after))
  return 'changed'
}

/** Exit codes of Node's test runner: all passed, some failed. */
const testExits: readonly (number | null)[] = [0, 1]

async function runTests({ client, runId }: DemoAgent): Promise<StepResult> {
  const ended = await client.jobs.run({ run_id: runId, command: testCommand })
  if (!('exit_code' in ended)) throw new Error(ended.message)
  const { exit_code: exitCode, stderr_summary: stderr } = ended
  if (testExits.includes(exitCode)) return { kind: 'tested', exitCode }
  const why = stderr.trim().split('\n').at(-1) ?? ''
  throw new Error(`\`${testCommand}\` could not run here (exit code ${exitCode}): ${why}`)
}

async function sendSignal(
  { client, runId }: DemoAgent,
  name: string,
  data: JsonObject | null,
): Promise<StepResult> {
  try {
    const { view } = await client.runs.signal({ runId, name, data })
    if (view?.status === 'waiting') return { kind: 'waiting' }
    return { kind: 'moved', stage: view?.stage ?? '' }
  } catch (thrown) {
    if (!(thrown instanceof PawlProblem) || thrown.status !== 409) throw thrown
    return { kind: 'denied', reason: `${thrown.detail}; ${thrown.hint}` }
  }
}
