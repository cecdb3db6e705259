/**
 * What the fuzzer of requests is let loose on: runs of the agent's own, with credentials for them,
 * and runs of somebody else, of which it knows everything but a credential.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, openClient } from '../../src/client/index.ts'
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

/** Of a session, of one run, or `agent.token` itself. */
export type CredentialKind = 'session' | 'run' | 'bare'

const lastRecords = 5

/** What one round of requests is sent with. */
export type FuzzedRound = Pick<FuzzOptions, 'token' | 'known' | 'workspace'>

export type FuzzedRuns = {
  /** A run of the agent's own in a folder of its own, and a credential of that kind. */
  readonly begin: (kind: CredentialKind) => Promise<FuzzedRound>
  /** The heads of runs that the agent has no business in, and the last records of their logs. */
  readonly othersEnd: () => Promise<string>
}

type Clients = {
  readonly person: Client
  readonly url: string
  /** `agent.token`. */
  readonly bare: string
  readonly folder: string
}

/** Starts the runs of others: one that a session of a host works on, and one that asks a person. */
export async function startFuzzedRuns({ person, url, bare, folder }: Clients): Promise<FuzzedRuns> {
  let roundsCount = 0
  const start = async (name: string, more: { readonly session?: string } = {}) => {
    const workspace = join(folder, name)
    mkdirSync(workspace, { recursive: true })
    const { runId } = await person.call('runs.start', { definition: 'fuzzed', workspace, ...more })
    return { runId, workspace }
  }
  await person.call('definitions.create', { source, format: 'json' })
  const held = await start('held', { session: 'claude:held' })
  const asking = await start('asking', { session: 'claude:asking' })
  await person.call('runs.signal', { runId: asking.runId, name: 'ASK' })
  const others = [held, asking]
  return {
    begin: async (kind) => {
      roundsCount += 1
      const own = await start(`own${roundsCount}`)
      const token = await credentialFor(kind, { person, url, bare, runId: own.runId })
      const runs = [own.runId, own.runId, ...others.map(({ runId }) => runId)]
      const folders = [own.workspace, ...others.map(({ workspace }) => workspace)]
      const byField: Readonly<Record<string, readonly string[]>> = {
        ...{ runId: runs, run_id: runs, workspace: folders, cwd: folders, folder: folders },
        ...{ session: ['claude:held', 'claude:s2'], definition: ['fuzzed', 'nothing'] },
        ...{ name: ['NEXT', 'BACK', 'ASK', 'fuzzed'], tool: ['Read', 'Bash'] },
        ...{ command: ['git status'], source: [source], host: ['claude', 'codex'] },
        ...{ key: ['k1', 'k2'], callId: runs.map((runId) => `${runId}:c1`) },
      }
      const { workspace } = own
      return { token, workspace, known: (field) => byField[field] ?? [] }
    },
    othersEnd: async () => {
      const ends: unknown[] = []
      for (const { runId } of others) {
        const { head } = await person.call('runs.read', { runId })
        const after = Math.max(0, head.seq - lastRecords)
        const { items } = await person.call('runs.events', { runId, after })
        ends.push({ head, items })
      }
      return JSON.stringify(ends, null, 1)
    },
  }
}

type Issue = Omit<Clients, 'folder'> & { readonly runId: string }

/** A credential that reaches its own run, which is tried. */
async function credentialFor(
  kind: CredentialKind,
  { person, url, bare, runId }: Issue,
): Promise<string> {
  if (kind === 'bare') return bare
  const agent = openClient({ url, token: bare })
  const { credential } =
    kind === 'run'
      ? await person.call('credentials.forRun', { runId })
      : await agent.call('credentials.issue', {})
  agent.close()
  const own = openClient({ url, token: credential })
  await own.call('runs.check', { runId, tool: 'Read', input: { file_path: 'a' } })
  own.close()
  return credential
}
