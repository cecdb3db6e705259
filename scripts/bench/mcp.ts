/**
 * What the gateway adds to a call: the same call of the same server made directly and through the
 * gateway, by the same client, in turns. `copied`: through a process that does nothing but copy
 * bytes, which is what any gateway of this kind costs at least. `free`: no run and no policy.
 * `judged`: by a run, each verdict and each report on the disk before it counts. Of an empty tool
 * (`echo`), of one that reads a small file (`file`), and of `echo` over HTTP.
 * PAWL_BENCH_ROUNDS sets how many rounds of 50 calls are timed, PAWL_BENCH_CALLS how many calls
 * the memory is watched over.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openClient } from '../../src/client/index.ts'
import { findHome, openHome } from '../../src/home/home.ts'
import { ensureTokens } from '../../src/home/tokens.ts'
import { webToken } from '../../src/main/web-server.contract.ts'
import { percentile } from './measure.ts'

const roundsCount = Number(process.env.PAWL_BENCH_ROUNDS ?? 40)
const callsInRound = 50
const parallelCount = 64
const parallelRounds = 20
const memoryCalls = Number(process.env.PAWL_BENCH_CALLS ?? 100_000)

const root = join(import.meta.dirname, '..', '..')
const built = join(root, 'dist', 'main', 'pawl.js')
const program = existsSync(built) ? built : join(root, 'src', 'main', 'pawl.ts')
const [everything, filesystem] = ['everything', 'filesystem'].map((name) =>
  join(
    createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`),
    ...['..', 'dist', 'index.js'],
  ),
) as [string, string]
const copier = join(import.meta.dirname, 'copy-bytes.ts')
const web = join(root, 'src', 'main', 'web-server.contract.ts')

type Subject = { readonly call: () => Promise<void>; readonly pid: number }
const kinds = ['direct', 'copied', 'free', 'judged'] as const
type Name = `${'echo' | 'file' | 'http'} ${(typeof kinds)[number]}`

export async function benchMcp(): Promise<void> {
  // WHY not Pawl's name: what names a guard is asked about each time.
  const folder = mkdtempSync(join(tmpdir(), 'bench-mcp-'))
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const { subjects, daemon } = await openSubjects(folder, closers)
    await printLatency(subjects)
    await printParallel(subjects)
    await printMemory(subjects, daemon)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

type Subjects = Readonly<Partial<Record<Name, Subject>>>
type OpenedSubjects = { readonly subjects: Subjects; readonly daemon: number }

async function openSubjects(folder: string, closers: (() => unknown)[]): Promise<OpenedSubjects> {
  const home = join(folder, 'home')
  const env = { PATH: process.env.PATH ?? '', HOME: folder, PAWL_HOME: home }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const headers = { Authorization: `Bearer ${webToken}` }
  closers.push(await startProcess([web, String(port)], env))
  mkdirSync(home, { mode: 0o700 })
  const [free, judged] = ['free', 'judged'].map((name) => join(folder, name)) as [string, string]
  const servers = {
    everything: { command: process.execPath, args: [everything] },
    files: { command: process.execPath, args: [filesystem, free, judged] },
    web: { url, headers },
  }
  writeFileSync(join(home, 'gateway.json'), JSON.stringify({ mcpServers: servers }))
  const serving = await startProcess([program, 'serve'], env)
  closers.push(serving)
  const note = (workspace: string) => ({ path: join(workspace, 'note.txt') })
  for (const one of [free, judged]) {
    mkdirSync(one)
    writeFileSync(note(one).path, 'a note of a line\n')
  }
  await startRun(home, judged)
  const echo = { message: 'hello' }
  const opened = async (transport: Transport, name: string, args = {}): Promise<Subject> => {
    const client = new Client({ name: 'bench', version: '1' })
    await client.connect(transport)
    closers.push(() => client.close())
    await client.listTools()
    const pid = transport instanceof StdioClientTransport ? (transport.pid ?? 0) : 0
    return { pid, call: () => call(client, name, args) }
  }
  const stdio = (...args: string[]): Transport =>
    new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
  const gateway = (workspace: string): Transport =>
    stdio(program, 'gateway', '--workspace', workspace)
  const http = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  const subjects: Subjects = {
    'echo direct': await opened(stdio(everything), 'echo', echo),
    'echo copied': await opened(stdio(copier, everything), 'echo', echo),
    'echo free': await opened(gateway(free), 'everything__echo', echo),
    'echo judged': await opened(gateway(judged), 'everything__echo', echo),
    'file direct': await opened(stdio(filesystem, free), 'read_text_file', note(free)),
    'file copied': await opened(stdio(copier, filesystem, free), 'read_text_file', note(free)),
    'file free': await opened(gateway(free), 'files__read_text_file', note(free)),
    'file judged': await opened(gateway(judged), 'files__read_text_file', note(judged)),
    'http direct': await opened(http, 'echo', echo),
    'http free': await opened(gateway(free), 'web__echo', echo),
    'http judged': await opened(gateway(judged), 'web__echo', echo),
  }
  return { subjects, daemon: serving.pid }
}

async function call(client: Client, name: string, args: object): Promise<void> {
  const result = await client.callTool({ name, arguments: { ...args } })
  if (result.isError === true) throw new Error(JSON.stringify(result.content))
}

async function startRun(folder: string, workspace: string): Promise<void> {
  const { platform } = process
  const uid = process.getuid?.() ?? 0
  const place = { env: { PAWL_HOME: folder }, platform, userFolder: () => folder, cwd: folder, uid }
  const home = findHome(place)
  openHome(home)
  const client = openClient({ socket: home.socket, token: ensureTokens(home).person })
  const allowed_tools = ['mcp__everything__echo', 'mcp__files__read_text_file', 'mcp__web__echo']
  const states = { work: { allowed_tools, on: { DONE: 'end' } }, end: { type: 'final' } }
  const source = JSON.stringify({ id: 'bench', initial: 'work', states })
  await client.call('definitions.create', { source, format: 'json' })
  await client.call('runs.start', { definition: 'bench', workspace })
  client.close()
}

type Closer = (() => Promise<void>) & { readonly pid: number }

/** A process that says something once it is there. */
async function startProcess(args: readonly string[], env: Record<string, string>): Promise<Closer> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout as NodeJS.EventEmitter, 'data')
  const close = async (): Promise<void> => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return Object.assign(close, { pid: child.pid ?? 0 })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function printLatency(subjects: Subjects): Promise<void> {
  const all = Object.entries(subjects)
  const times = Object.fromEntries(all.map(([name]) => [name, [] as number[]]))
  for (let round = -1; round < roundsCount; round += 1) {
    for (const [name, { call: make }] of all) {
      for (let count = 0; count < callsInRound; count += 1) {
        const begun = performance.now()
        await make()
        if (round >= 0) times[name]?.push(performance.now() - begun)
      }
    }
  }
  console.log('\ntools/call, one after the other (ms)')
  for (const [name] of all) {
    const own = times[name] ?? []
    const base = times[`${name.split(' ')[0]} direct`] ?? []
    const [p50, p99, floor] = [percentile(own, 0.5), percentile(own, 0.99), percentile(base, 0.5)]
    const added = own === base ? '' : `${(p50 / floor).toFixed(2)}×, +${(p50 - floor).toFixed(3)}`
    console.log(`  ${name.padEnd(12)} p50 ${p50.toFixed(3)}  p99 ${p99.toFixed(3)}  ${added}`)
  }
}

async function printParallel(subjects: Subjects): Promise<void> {
  console.log(`\n${parallelCount} calls at a time (calls a second)`)
  for (const [name, { call: make }] of Object.entries(subjects)) {
    const begun = performance.now()
    for (let round = 0; round < parallelRounds; round += 1) {
      await Promise.all(Array.from({ length: parallelCount }, make))
    }
    const seconds = (performance.now() - begun) / 1_000
    const rate = (parallelRounds * parallelCount) / seconds
    console.log(`  ${name.padEnd(12)} ${Math.round(rate).toLocaleString('en').padStart(8)}`)
  }
}

/** Resident memory in megabytes. */
function memoryOf(pid: number): string {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return `${Math.round(Number(kilobytes) / 1_024)} MB`
}

async function printMemory(subjects: Subjects, daemon: number): Promise<void> {
  const free = subjects['echo free']
  if (process.platform !== 'linux' || free === undefined) return
  console.log('\nmemory (resident)')
  const show = (count: number): void =>
    console.log(
      `  after ${count.toLocaleString('en').padStart(9)} more calls: ` +
        `gateway ${memoryOf(free.pid)}, daemon ${memoryOf(daemon)}`,
    )
  show(0)
  for (let part = 1; part <= 4; part += 1) {
    const count = Math.ceil(memoryCalls / 4 / parallelCount)
    for (let round = 0; round < count; round += 1) {
      await Promise.all(Array.from({ length: parallelCount }, free.call))
    }
    show(part * count * parallelCount)
  }
}
