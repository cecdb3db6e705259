/**
 * Codex silently skips hooks that its user has not trusted. This trusts our hooks through Codex
 * itself (`codex app-server`) and then reads the result back.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isPawlHook } from '../pawl-entries.ts'

export type Trust =
  | { readonly kind: 'trusted'; readonly hooksCount: number }
  | { readonly kind: 'skipped'; readonly because: string }

type Codex = {
  readonly program: string
  /** Stand in front of the name of the server. */
  readonly args?: readonly string[]
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

type Listed = {
  readonly key: string
  readonly command?: string
  readonly source?: string
  readonly currentHash: string
  readonly trustStatus: string
}

const answerMsMax = 20_000

/** Makes Codex trust the hooks that Pawl wrote into a workspace, and no others. */
export function trustCodexHooks(codex: Codex): Promise<Trust> {
  return withServer(codex, trust)
}

/** Whether Codex trusts them; changes nothing. */
export function readCodexTrust(codex: Codex): Promise<Trust> {
  return withServer(codex, async (server, workspace) => trustIn(await ownHooks(server, workspace)))
}

/** What is set by these flags, as the host identifies it; a text: why it is not known. */
export type HookHashes = { readonly count: number; readonly state: string }

/** The hashes by which Codex trusts the hooks that flags set, as a value of TOML. */
export async function readHookHashes(codex: Codex): Promise<HookHashes | string> {
  let found: readonly Listed[] = []
  const read = await withServer(codex, async (server, workspace) => {
    found = (await ownHooks(server, workspace)).filter(({ source }) => source === 'sessionFlags')
    return trustIn(found)
  })
  if (found.length === 0) return read.kind === 'skipped' ? read.because : 'Codex lists no hooks'
  const pairs = found.map(({ key, currentHash }) => {
    return `${JSON.stringify(key)} = { trusted_hash = ${JSON.stringify(currentHash)} }`
  })
  return { count: found.length, state: `{ ${pairs.join(', ')} }` }
}

type Work = (server: Server, workspace: string) => Promise<Trust>

async function withServer(codex: Codex, work: Work): Promise<Trust> {
  try {
    const server = openServer(codex)
    try {
      const clientInfo = { name: 'pawl', title: 'Pawl', version: '0' }
      await server.ask('initialize', { clientInfo })
      server.tell('initialized')
      return await work(server, codex.workspace)
    } finally {
      server.close()
    }
  } catch (fault) {
    return { kind: 'skipped', because: fault instanceof Error ? fault.message : String(fault) }
  }
}

async function trust(server: Server, workspace: string): Promise<Trust> {
  let listed = await ownHooks(server, workspace)
  if (listed.length === 0) {
    // Codex does not look at the hooks of a workspace that it does not know.
    const value = { [workspace]: { trust_level: 'trusted' } }
    await server.ask('config/batchWrite', {
      edits: [{ keyPath: 'projects', value, mergeStrategy: 'upsert' }],
    })
    listed = await ownHooks(server, workspace)
  }
  const due = listed.filter(({ trustStatus }) => trustStatus !== 'trusted')
  if (due.length > 0) {
    const pairs = due.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }] as const)
    await server.ask('config/batchWrite', {
      edits: [
        { keyPath: 'hooks.state', value: Object.fromEntries(pairs), mergeStrategy: 'upsert' },
      ],
    })
  }
  return trustIn(await ownHooks(server, workspace))
}

function trustIn(listed: readonly Listed[]): Trust {
  if (listed.length === 0) return { kind: 'skipped', because: 'Codex does not see the hooks' }
  const left = listed.filter(({ trustStatus }) => trustStatus !== 'trusted')
  if (left.length === 0) return { kind: 'trusted', hooksCount: listed.length }
  const because = `Codex does not trust ${left.length} of ${listed.length} hooks`
  return { kind: 'skipped', because }
}

async function ownHooks(server: Server, workspace: string): Promise<readonly Listed[]> {
  const answer = await server.ask('hooks/list', { cwds: [workspace] })
  // WHY the cast: it is Codex's own answer; what is not there is caught as a fault above.
  const { data } = answer as { readonly data: readonly { readonly hooks: readonly Listed[] }[] }
  return data.flatMap(({ hooks }) => hooks).filter(({ command = '' }) => isPawlHook({ command }))
}

type Server = {
  readonly ask: (method: string, params: object) => Promise<unknown>
  readonly tell: (method: string) => void
  readonly close: () => void
}

type Reply = { id?: number; result?: unknown; error?: { message?: string } }
type Waiting = { resolve: (value: unknown) => void; reject: (fault: Error) => void }

/** Codex as a server of JSON lines. */
function openServer({ program, args = [], workspace, env }: Codex): Server {
  const child = spawn(program, [...args, 'app-server'], {
    cwd: workspace,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const waiting = new Map<number, Waiting>()
  const failAll = (message: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(message))
    waiting.clear()
  }
  const limit = setTimeout(() => failAll('Codex did not answer in time'), answerMsMax)
  child.on('error', (fault) => failAll(`Codex could not be started: ${fault.message}`))
  child.on('exit', () => failAll('Codex exited'))
  child.stdin.on('error', () => failAll('Codex does not read its input'))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id = 0, result, error } = JSON.parse(line) as Reply
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(result)
    else one?.reject(new Error(`Codex reported an error: ${error.message ?? 'unknown'}`))
  })
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  let lastId = 0
  return {
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        send({ id: lastId, method, params })
      }),
    tell: (method) => send({ method }),
    close: () => {
      clearTimeout(limit)
      child.kill()
    },
  }
}
