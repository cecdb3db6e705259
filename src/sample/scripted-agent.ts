/**
 * An agent without a model: works on a run by a script, over the same wire and with the same token
 * as any other. It goes by where the run stands, so it can begin anywhere, also after a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type OperationAnswer, PawlProblem } from '../client/index.ts'
import type { SampleScript, SampleStep } from './script.ts'

export type AgentOptions = {
  readonly client: Client
  readonly script: SampleScript
  /** Between two steps. */
  readonly stepMs: number
  readonly signal: AbortSignal
  /** Where the agent leaves the run, by stage; absent: it works to the end. */
  readonly leavesAt?: string
}

/** Stages that one run may be worked through, and steps in one of them. */
const roundsMax = 200
const waitMs = 20_000

/** Works until the run has ended, or until somebody says that it is enough. */
export async function workOn(runId: string, options: AgentOptions): Promise<void> {
  for (let round = 0; round < roundsMax && !options.signal.aborted; round += 1) {
    const { head, view } = await options.client.runs.read({ runId })
    if (head.endedAt !== null || view.stage === options.leavesAt) return
    if (view.status === 'waiting' || view.status === 'paused') {
      await waitOn(runId, head.seq, options)
    } else if (!(await hasFinishedBranch(runId, view, options))) {
      await workInStage(runId, view.stage, options)
    }
  }
}

type View = OperationAnswer<'runs.read'>['view']

/** A branch that stands on its last stage is over when the agent says so. */
async function hasFinishedBranch(
  runId: string,
  { stage, branches }: View,
  { client, script }: AgentOptions,
): Promise<boolean> {
  if (script[stage] !== undefined) return false
  for (const branch of Object.keys(branches)) {
    const { view } = await client.runs.read({ runId, branch })
    if (view.stage !== stage) continue
    await client.runs.finishBranch({ runId, branch })
    return true
  }
  return false
}

async function workInStage(runId: string, stage: string, options: AgentOptions): Promise<void> {
  const { notice } = await options.client.runs.read({ runId })
  // A person has said no: what they said goes along, and the work is done again.
  if (stage === 'ready' && notice !== '') {
    await options.client.runs.signal({ runId, name: 'REWORK', data: { because: notice } })
    return
  }
  const steps = options.script[stage] ?? []
  // What no script knows is left to whoever started the sample.
  if (steps.length === 0) await pause(waitMs, options.signal)
  for (const step of steps) {
    if (options.signal.aborted) return
    await pause(options.stepMs, options.signal)
    if (!(await take(runId, step, options))) return
  }
}

/** False: the rest of the stage has to be thought over, because the run has moved or waits. */
async function take(runId: string, step: SampleStep, options: AgentOptions): Promise<boolean> {
  const { client } = options
  try {
    if (step.kind === 'signal') {
      await client.runs.signal({ runId, name: step.name, data: step.data })
      return false
    }
    if (step.kind === 'job') {
      return (await hasRun(runId, step.command, client)) || take(runId, step.otherwise, options)
    }
    const { tool, input, output, costMicroUsd = 0, exitCode = null } = step
    let { reply } = await client.runs.check({ runId, tool, input })
    if (reply.verdict === 'ask') {
      if (!(await isGranted(runId, options))) return true
      reply = (await client.runs.check({ runId, tool, input })).reply
    }
    if (reply.verdict !== 'allow' || reply.callId === null) return true
    await pause(options.stepMs, options.signal)
    const ok = (exitCode ?? 0) === 0
    await client.runs.report({ runId, callId: reply.callId, ok, output, exitCode, costMicroUsd })
    return true
  } catch (thrown) {
    // Refused as things stand: look again where the run is.
    if (thrown instanceof PawlProblem && thrown.status === 409) return false
    throw thrown
  }
}

/** Whether the job ran; a machine without a compiler, or an older definition, runs none. */
async function hasRun(runId: string, command: string, client: Client): Promise<boolean> {
  try {
    await client.jobs.run({ run_id: runId, command })
    return true
  } catch (thrown) {
    if (thrown instanceof PawlProblem) return false
    throw thrown
  }
}

/** Waits for the person. */
async function isGranted(runId: string, { client, signal }: AgentOptions): Promise<boolean> {
  while (!signal.aborted) {
    const { head, view } = await client.runs.read({ runId })
    if (view.status !== 'waiting') {
      const { items } = await client.approvals.list({ runId, limit: 500 })
      return items.at(-1)?.status === 'granted'
    }
    await waitOn(runId, head.seq, { client, signal })
  }
  return false
}

type Waiting = Pick<AgentOptions, 'client' | 'signal'>

async function waitOn(runId: string, after: number, { client, signal }: Waiting): Promise<void> {
  await client.runs.wait({ runId, after, timeoutMs: waitMs }, { signal })
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
