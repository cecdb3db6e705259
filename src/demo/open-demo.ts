/**
 * `pawl demo`: a scripted agent fixes a bug in a real project, is stopped where it breaks the
 * rules, and waits for a person. Says in the terminal what happens.
 */
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClient } from '../client/index.ts'
import { issueCredential } from '../client/issue-credential.ts'
import type { LogLine } from '../daemon/log-file.ts'
import type { Home } from '../home/home.ts'
import { readToken } from '../home/tokens.ts'
import { type DemoAgent, takeStep } from './demo-agent.ts'
import { resetProject } from './demo-project.ts'
import { afterApproval, type DemoStep, reworkAfter, untilReview } from './demo-script.ts'
import { demoWorkflow, demoWorkflowId } from './demo-workflow.ts'
import { proofLines, stepLines } from './narrate.ts'

export type Demo = { readonly close: () => Promise<void> }

export type DemoOptions = {
  readonly home: Home
  readonly log: LogLine
  readonly print: (text: string) => void
  /** What a person types to call this Pawl from any folder. */
  readonly command: string
}

/** Between two steps, so that a person can follow. */
const stepMs = 700
const waitMsMax = 20_000
/** How often the agent asks again after a refusal. */
const asksMax = 10

/** The folder of the sample project, next to the data directory of the demo. */
export function demoProject(home: Home): string {
  return join(dirname(home.folder), 'project')
}

/** Writes the project, starts a run, and lets the agent work until it has ended or is closed. */
export async function openDemo(options: DemoOptions): Promise<Demo> {
  const { home } = options
  const project = demoProject(home)
  resetProject(project)
  const person = openClient({ socket: home.socket, token: readToken(home, 'person') })
  await storeWorkflow(person)
  await cancelOpenRuns(person, project)
  person.close()
  const token = await issueCredential(home.socket, readToken(home, 'agent'))
  const client = openClient({ socket: home.socket, token })
  const ending = new AbortController()
  const working = work(client, options, ending.signal).catch((fault: unknown) => {
    if (ending.signal.aborted) return
    options.log('warning', 'the agent of the demo has stopped', { fault: String(fault) })
    options.print(`\nthe demo has stopped: ${fault instanceof Error ? fault.message : fault}\n`)
  })
  return {
    close: async () => {
      ending.abort()
      client.close()
      await working
    },
  }
}

async function storeWorkflow(person: Client): Promise<void> {
  const { items } = await person.definitions.list({ limit: 500 })
  const known = items.find(({ name }) => name === demoWorkflowId)
  const source = { source: demoWorkflow, format: 'yaml' } as const
  if (known === undefined) await person.definitions.create(source)
  else await person.definitions.update({ id: known.id, ...source })
}

/** The project is new, so what an interrupted demo left open has no project any more. */
async function cancelOpenRuns(person: Client, workspace: string): Promise<void> {
  const { items } = await person.runs.list({ workspace, limit: 500 })
  for (const { id, endedAt } of items) {
    if (endedAt === null) await person.runs.cancel({ runId: id })
  }
}

async function work(client: Client, options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { home, print, command } = options
  const folder = demoProject(home)
  const { runId } = await client.runs.start({
    ...{ definition: demoWorkflowId, workspace: folder },
    title: 'Two coffees cost as much as one',
  })
  const agent: DemoAgent = { client, runId, folder }
  const take = async (steps: readonly DemoStep[]): Promise<void> => {
    for (const step of steps) {
      await sleep(stepMs, undefined, { signal })
      print(stepLines(step, await takeStep(agent, step)))
    }
  }
  await take(untilReview)
  for (let asked = 0; asked < asksMax; asked += 1) {
    const note = await refusalOf(agent, signal)
    if (note === null) break
    await take(reworkAfter(note))
  }
  await take(afterApproval)
  print(proofLines(await client.runs.verify({ runId }), await eventsOf(agent), command))
}

/** Waits for the person; null if they approved, else what they wrote. */
async function refusalOf(
  { client, runId }: DemoAgent,
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    signal.throwIfAborted()
    const { head, view, notice } = await client.runs.read({ runId })
    if (head.endedAt !== null) throw new Error('a person has ended the run')
    if (view.status === 'running') return view.stage === 'merging' ? null : notice
    await client.runs.wait({ runId, after: head.seq, timeoutMs: waitMsMax }, { signal })
  }
}

async function eventsOf({
  client,
  runId,
}: DemoAgent): Promise<readonly { readonly type: string }[]> {
  return (await client.runs.events({ runId, limit: 1_000 })).items
}
