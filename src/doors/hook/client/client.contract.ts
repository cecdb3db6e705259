/**
 * What the tests of the hook's clients share: a daemon that says what a test wants, and both
 * clients as a host sees them: what they print and how they end.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { guardedPaths, isConcernedBy } from '../../../runtime/sessions/guarded-folders.ts'
import type { HookOutput } from '../../api/hook-exchange.ts'
import { clientMsMax, hookSilenceMsMax } from '../hook-wire.ts'
import { askDaemon } from './node-client.ts'

export const token = 'the-token'
/** What a client waits for: as hosts know it, or short enough for a test of its patience. */
const patiences = {
  real: { silenceMs: hookSilenceMsMax, totalMs: clientMsMax },
  short: { silenceMs: 600, totalMs: 1_800 },
} as const
export const { silenceMs, totalMs } = patiences.short
type Patience = keyof typeof patiences

/** Absent: what is about the C client is not tested on this machine. */
export const compiler = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang'].find(existsSync)

export type HookClientCall = {
  readonly host?: string
  readonly workspace?: string
  /** The hook of a user that was started here, in place of one for a workspace. */
  readonly user?: string
  readonly runId?: string
  readonly payload?: string | Buffer
  /** The whole command line, in place of host and workspace. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type ProcessResult = {
  readonly code: number | null
  readonly out: string
  readonly err: string
}
export type ClientName = 'c' | 'node'

export type HookClientBench = {
  readonly folder: string
  readonly bin: string
  readonly socket: string
  readonly ask: (client: ClientName, asked?: HookClientCall) => Promise<ProcessResult>
}

/** A data directory with a compiled client, and nobody who listens. */
export function openPlace(patience: Patience = 'real'): HookClientBench {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-client-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  const socket = join(folder, 'hook.sock')
  mkdirSync(bin, { mode: 0o700 })
  const node = join(folder, 'node')
  const secrets = join(bin, 'hook.secrets')
  const lines = { socket, secrets, node, program: '/prog', home: folder }
  const conf = Object.entries(lines).map(([name, path]) => `${name} ${path}\n`)
  writeFileSync(join(bin, 'hook.conf'), conf.join(''), { mode: 0o600 })
  writeFileSync(secrets, `x y\n- ${token}\nuser: ${token}\n`, { mode: 0o600 })
  if (compiler !== undefined) compile(patience, join(bin, 'pawl-hook'))
  const ask: HookClientBench['ask'] = (client, asked = {}) =>
    client === 'c'
      ? runC(join(bin, 'pawl-hook'), withSecret(secrets, asked))
      : runNode(asked, { patience, socket, list: join(bin, 'guarded') })
  return { folder, bin, socket, ask }
}

/** Gives the folder that a hook names a secret. */
function withSecret(secrets: string, asked: HookClientCall): HookClientCall {
  const { workspace } = asked
  if (typeof workspace === 'string' && workspace !== '') {
    appendFileSync(secrets, `${encodeURIComponent(workspace)} ${token}\n`)
  }
  return asked
}

const compiled = new Map<Patience, Buffer>()

/** Compiled once per test file. */
function compile(patience: Patience, path: string): void {
  const known = compiled.get(patience)
  if (known !== undefined) return writeFileSync(path, known, { mode: 0o700 })
  const { silenceMs, totalMs } = patiences[patience]
  const limits = [`-DSILENCE_MS_MAX=${silenceMs}`, `-DCLIENT_MS_MAX=${totalMs}`]
  const strict = ['-std=c99', '-Wall', '-Wextra', '-pedantic', '-Werror']
  const args = [...strict, '-O1', ...limits, '-o', path, join(import.meta.dirname, 'pawl-hook.c')]
  const { status, stderr } = spawnSync(compiler ?? 'cc', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  compiled.set(patience, readFileSync(path))
}

function runC(path: string, asked: HookClientCall): Promise<ProcessResult> {
  const { host = 'claude', workspace, user, runId, payload = '{}', args, env = {} } = asked
  const where = user === undefined ? [workspace ?? []].flat() : ['--user', user]
  const words = args ?? [host, ...where]
  const run = runId === undefined ? {} : { PAWL_RUN: runId }
  const child = spawn(path, words, { env: { PATH: '/usr/bin:/bin', ...run, ...env } })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (bytes) => out.push(bytes))
  child.stderr.on('data', (bytes) => err.push(bytes))
  // A client that blocks early does not read.
  child.stdin.on('error', () => undefined)
  child.stdin.end(payload)
  return new Promise((resolve) => {
    child.on('close', (code) =>
      resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    )
  })
}

type NodeMeans = {
  readonly patience: Patience
  readonly socket: string
  readonly list: string
}

async function runNode(
  asked: HookClientCall,
  { patience, socket, list }: NodeMeans,
): Promise<ProcessResult> {
  const { host = 'claude', user, workspace = user ?? null, runId = null, payload = '{}' } = asked
  const means = {
    socket,
    ensure: async () => undefined,
    token: () => token,
    input: Readable.from(payload.length === 0 ? [] : [Buffer.from(payload)]),
    limits: patiences[patience],
  }
  const question = { host, workspace, runId }
  const output: HookOutput =
    user === undefined
      ? await askDaemon(means, question)
      : await askDaemon(
          { ...means, isConcerned: (bytes) => isListed(list, user, bytes.toString()) },
          { ...question, scope: 'user' },
        )
  return { code: output.exit, out: output.stdout, err: output.stderr }
}

function isListed(list: string, folder: string, payload: string): boolean {
  if (!existsSync(list)) return true
  const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean)
  return isConcernedBy(lines, folder, payload)
}

/** Lists the repository of a folder as guarded. */
export function putGuarded({ bin }: HookClientBench, workspace: string): void {
  const lines = guardedPaths([{ workspace }]).map((path) => `${path}\n`)
  writeFileSync(join(bin, 'guarded'), lines.join(''), { mode: 0o600 })
}

export type Listener = { readonly heard: readonly Buffer[] }

/** A daemon that hears a question and then does what the test says. */
export async function listen(
  { socket: path }: HookClientBench,
  answer: (socket: Socket) => void,
): Promise<Listener> {
  const heard: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    const pieces: Buffer[] = []
    socket.on('data', (bytes) => pieces.push(bytes))
    socket.on('error', () => socket.destroy())
    socket.on('end', () => {
      heard.push(Buffer.concat(pieces))
      answer(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { heard }
}
