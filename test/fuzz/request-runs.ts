/**
 * What the fuzzer of requests is let loose on: a run of the agent's own, a run of somebody else,
 * and what became of them. Whether the credential reaches other runs is found out by trying.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client/index.ts'
import type { FuzzOptions } from './requests.ts'

const source = JSON.stringify({
  id: 'fuzzed',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['Read', 'Bash'],
      allowed_commands: ['git status'],
      on: { ASK: { target: 'end', requires_approval: true }, NEXT: 'more' },
    },
    more: { allowed_tools: ['Read'], on: { BACK: 'work' } },
    end: { type: 'final' },
  },
})

export type FuzzedRuns = {
  readonly own: string
  readonly other: string
  /** Whether the credential can change the runs of others. */
  readonly isScoped: boolean
  readonly known: FuzzOptions['known']
  readonly workspace: string
  /** Where the other run's log ends. */
  readonly otherEnd: () => Promise<string>
}

type Clients = { readonly person: Client; readonly agent: Client; readonly folder: string }

/** Starts the runs. */
export async function startFuzzedRuns({ person, agent, folder }: Clients): Promise<FuzzedRuns> {
  const start = async (name: string): Promise<string> => {
    const workspace = join(folder, name)
    mkdirSync(workspace, { recursive: true })
    return (await person.call('runs.start', { definition: 'fuzzed', workspace })).runId
  }
  await person.call('definitions.create', { source, format: 'json' })
  const [own, other, third] = [await start('own'), await start('other'), await start('third')]
  await person.call('runs.signal', { runId: other, name: 'ASK' })
  const isScoped = await agent.call('runs.pause', { runId: third }).then(
    () => false,
    () => true,
  )
  const workspace = join(folder, 'own')
  const runs = isScoped ? [own, own, other] : [own]
  const folders = isScoped ? [workspace, join(folder, 'other')] : [workspace]
  const byField: Readonly<Record<string, readonly string[]>> = {
    ...{ runId: runs, run_id: runs, workspace: folders, cwd: folders, folder: folders },
    ...{ session: ['claude:s1', 'claude:s2'], definition: ['fuzzed', 'nothing'] },
    ...{ name: ['NEXT', 'BACK', 'ASK', 'fuzzed'], tool: ['Read', 'Bash'], command: ['git status'] },
    ...{ source: [source], host: ['claude', 'codex'], key: ['k1', 'k2'], callId: [`${own}:c1`] },
  }
  const otherEnd = async (): Promise<string> =>
    JSON.stringify((await person.call('runs.read', { runId: other })).head)
  return { own, other, isScoped, workspace, otherEnd, known: (field) => byField[field] ?? [] }
}
