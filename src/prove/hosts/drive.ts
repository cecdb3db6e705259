/**
 * Starts a real host with a scripted model and waits until it ends, within limits.
 * Knows processes. Must not judge: what was executed is seen on the disk.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { agentHosts, type ProvableHostId } from '../../core/hosts/registry.ts'
import type { ModelCall } from '../model/model-api.ts'
import { type Exchange, openModel } from '../model/open-model.ts'
import type { Script } from '../model/script.ts'
import { drivers } from './drivers.ts'
import { hostPath } from './find-host.ts'
import type { EditorRequest, HostPlace, McpServer } from './host.ts'

type Drive = HostPlace & {
  readonly host: ProvableHostId
  readonly program: string
  readonly script: Script
  readonly onTurn?: (exchange: Exchange) => Promise<void> | void
  readonly mcp?: Readonly<Record<string, McpServer>>
  readonly hookTrust?: 'asked' | 'skipped'
  /** Goes on with the last session of the folder; absent: a new one. */
  readonly isResumed?: boolean
  /** Has its context compacted early, on hosts that need to be told. */
  readonly hasLittleRoom?: boolean
  /** Has the model send programs instead of calls, where the host can. */
  readonly isCodeMode?: boolean
  /** Starts it in a box, as a session of this run. */
  readonly box?: { readonly pawl: readonly string[]; readonly runId: string }
  /** More of the environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

export type Transcript = {
  /** Null: it was ended by a signal. */
  readonly exitCode: number | null
  readonly why: 'ended' | 'timeout' | 'output'
  readonly ms: number
  /** The last words on both outputs. */
  readonly output: string
  readonly exchanges: readonly Exchange[]
  /** Each call that the model made, with what it was told back; null: nothing. */
  readonly calls: readonly (ModelCall & { readonly told: string | null })[]
  /** Lanes whose turns were not all used: the session ended early. */
  readonly unused: readonly string[]
}

const timeoutMsDefault = 120_000
const graceMs = 1_000
/** What is kept of the output, and what it may come to. */
const keptCharsMax = 64 * 1024
const outputBytesMax = 64 * 1024 * 1024

/** What a host's process has of the environment: nothing of ours but the language and the PATH. */
export function hostEnv(host: ProvableHostId, place: HostPlace): Record<string, string> {
  const { home } = place
  return {
    HOME: home,
    PATH: hostPath(process.env),
    TMPDIR: join(home, 'tmp'),
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    USER: 'tester',
    NO_COLOR: '1',
    CI: '1',
    // WHY: most of what hosts in JavaScript take to start is compiling the same code again.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(home, 'tmp', 'node-compile-cache'),
    ...drivers[host].env(place),
  }
}

/** Makes a home for a host: what a user would have settled before the first session. */
export function prepareHome(host: ProvableHostId, place: HostPlace): void {
  mkdirSync(join(place.home, 'tmp'), { recursive: true })
  drivers[host].prepare(place)
}

/** One session from its start to its end; every process of its group ends with it. */
export async function drive(wish: Drive): Promise<Transcript> {
  const { host, program, project, home, script, mcp = {}, hookTrust = 'asked' } = wish
  const model = await openModel({
    script,
    ...(wish.onTurn === undefined ? {} : { onTurn: wish.onTurn }),
  })
  try {
    const { args, env, requests } = drivers[host].start({
      ...{ project, home, mcp, hookTrust, isResumed: wish.isResumed === true },
      isCodeMode: wish.isCodeMode === true,
      hasLittleRoom: wish.hasLittleRoom === true,
      modelUrl: model.url,
      prompt: script.prompt ?? 'go',
    })
    const begun = performance.now()
    const [first = program, ...rest] = commandOf(wish, args, model.url)
    const child = spawn(first, rest, {
      cwd: project,
      env: { ...hostEnv(host, wish), ...env, ...wish.env },
      stdio: [requests === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // WHY: a group of its own, so that all it started can be ended with it.
      detached: true,
    })
    if (requests !== undefined) talkTo(child, requests)
    const ended = await waitFor(child, wish.timeoutMs ?? timeoutMsDefault)
    const { exchanges } = model
    const ms = Math.round(performance.now() - begun)
    return { ...ended, ms, exchanges, calls: callsIn(exchanges), unused: model.unused() }
  } finally {
    await model.close()
  }
}

function commandOf(wish: Drive, args: readonly string[], modelUrl: string): readonly string[] {
  const { host, program, box } = wish
  if (box === undefined) return [program, ...args]
  const names = Object.keys(drivers[host].env(wish)).flatMap((name) => ['--env', name])
  const connect = ['--connect', new URL(modelUrl).host]
  const run = ['run', '--run', box.runId, ...names, ...connect, '--', agentHosts[host].program]
  return [...box.pawl, ...run, ...args]
}

/** Plays an editor that starts the host as its agent, and closes the line after the last answer. */
function talkTo(child: ChildProcess, requests: readonly EditorRequest[]): void {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) return
  // What it no longer reads is seen in what it did not do.
  stdin.on('error', () => undefined)
  const send = (at: number): void => {
    const request = requests[at]
    if (request === undefined) stdin.end()
    else stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: at, ...request })}\n`)
  }
  createInterface({ input: stdout }).on('line', (line) => {
    const [, id, kind] = /"id":(\d+),"(result|error)"/.exec(line) ?? []
    if (id !== undefined) send(kind === 'error' ? requests.length : Number(id) + 1)
  })
  send(0)
}

type HostExit = Pick<Transcript, 'exitCode' | 'why' | 'output'>

async function waitFor(child: ChildProcess, timeoutMs: number): Promise<HostExit> {
  let why: HostExit['why'] = 'ended'
  let output = ''
  let bytes = 0
  const end = (cause: HostExit['why']): void => {
    if (why !== 'ended') return
    why = cause
    signalGroup(child, 'SIGTERM')
    setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs).unref()
  }
  const keep = (text: Buffer): void => {
    bytes += text.length
    output = (output + text.toString('utf8')).slice(-keptCharsMax)
    if (bytes > outputBytesMax) end('output')
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const exitCode = await new Promise<number | null>((resolve) => {
    // WHY `exit` and not `close`: something left behind may hold the outputs open.
    child.on('exit', (code) => setTimeout(() => resolve(code), 50))
    child.on('error', (fault) => {
      output += fault.message
      resolve(null)
    })
  })
  clearTimeout(timer)
  signalGroup(child, 'SIGKILL')
  return { exitCode, why, output }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (fault) {
    // Nobody of the group is left.
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault
  }
}

function callsIn(exchanges: readonly Exchange[]): Transcript['calls'] {
  const told = new Map<string, string>()
  for (const one of exchanges.flatMap((exchange) => exchange.told)) {
    if (one.callId !== null) told.set(one.callId, one.text)
  }
  return exchanges
    .flatMap((exchange) => exchange.calls)
    .map((call) => ({ ...call, told: told.get(call.id) ?? null }))
}
