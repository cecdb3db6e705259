/**
 * What a guarded call costs a host, per wire, beside a hook that does nothing and beside the
 * static client with nobody behind it, in the same run; then whether all are answered in time while
 * other programs want the whole machine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  agentHosts,
  listIn,
  type ProvableHostId,
  provableHostIds,
} from '../../src/core/hosts/registry.ts'
import { installHookClient } from '../../src/daemon/install-hook-client.ts'
import { hookCommand } from '../../src/doors/hook/hook-command-line.ts'
import { findHome, type Home, openHome } from '../../src/home/home.ts'
import { writeHookSecrets } from '../../src/home/hook-secrets.ts'
import type { Subject } from './hooks-daemon.ts'
import { printTokens } from './hooks-tokens.ts'
import { percentile } from './measure.ts'

const roundsCount = 300
/** WHY: a daemon serves for days; its first hundreds of calls are compiled on the way. */
const warmUpCount = 1_000
/** Every so many rounds: it is slow, and its numbers are far from the others. */
const nodeEvery = 10
const hostRoundsCount = 100
const loadedCallsCount = 2_000
const loadedClientsCount = 4
const loadShare = 0.9
/** What a host allows a hook over HTTP; over a command it is more. */
const timeoutMs = 10_000

const root = join(import.meta.dirname, '..', '..')
const built = join(root, 'dist', 'main', 'pawl.js')
const program = existsSync(built) ? built : join(root, 'src', 'main', 'pawl.ts')

export async function benchHooks(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const { wires, byHost, subject, home } = await openWires(folder, closers)
    await printTokens(subject, { file: program, home: home.folder })
    await printWires(wires)
    await printHosts(wires.noop, byHost)
    await printLoaded(wires)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** One call as a host makes it; throws where it was not allowed. */
type SendHook = (index: number) => Promise<void>
type HostAsks = readonly (readonly [ProvableHostId, SendHook])[]
type Opened = {
  readonly wires: Wires
  readonly byHost: HostAsks
  readonly subject: Subject
  readonly home: Home
}
type Wires = Readonly<
  Record<'noop' | 'floor' | 'command' | 'node' | 'httpFloor' | 'http', SendHook>
>

async function openWires(folder: string, closers: (() => unknown)[]): Promise<Opened> {
  const [real, script, echo] = ['real', 'script', 'echo'].map((name) => homeIn(folder, name))
  if (real === undefined || script === undefined || echo === undefined) throw new Error('no homes')
  const means = { node: process.execPath, program }
  const { kind } = await installHookClient(real, means)
  console.log(`\nclient: ${kind}; Node client: ${program}; load ${loadavg()[0]?.toFixed(1)}`)
  const { subject, close } = await startDaemon(real)
  closers.push(close)
  // The same daemon, by the script that starts the client in Node.
  await installHookClient(script, { ...means, cc: [], prebuilt: '/nowhere' })
  const text = readFileSync(join(script.bin, 'pawl-hook'), 'utf8')
  writeFileSync(join(script.bin, 'pawl-hook'), text.replaceAll(script.folder, real.folder))
  await installHookClient(echo, means)
  writeHookSecrets(echo, [{ workspace: '/work' }])
  const server = await openEcho(echo)
  const httpEcho = await openHttpEcho()
  closers.push(() => server.close(), httpEcho.close)
  const env = { PATH: process.env.PATH ?? '', PAWL_NO_AUTOSTART: '1' }
  const { shell, close: closeShell } = openShell(subject, env)
  closers.push(closeShell)
  const commandOf = ({ bin }: Home, host: ProvableHostId = 'claude'): string =>
    hookCommand({ bin, host, workspace: '/work', failure: 'blocks' })
  const wires = {
    noop: shell(':', ''),
    floor: shell(commandOf(echo), 'ok'),
    command: shell(commandOf(real), ''),
    node: shell(commandOf(script), ''),
    httpFloor: poster({ ...subject, url: httpEcho.url }),
    http: poster(subject),
  }
  const allowed = { ...env, PAWL_RUN: subject.runId }
  const { shell: hostShell, close: closeHosts } = openShell(subject, allowed)
  closers.push(closeHosts)
  const byHost = provableHostIds.map((host) => {
    return [host, hostShell(commandOf(real, host), '', host)] as const
  })
  return { wires, byHost, subject, home: real }
}

function homeIn(folder: string, name: string): Home {
  const env = { PAWL_HOME: join(folder, name) }
  const { platform } = process
  const uid = process.getuid?.() ?? 0
  const home = findHome({ env, platform, userFolder: () => folder, cwd: folder, uid })
  openHome(home)
  return home
}

async function startDaemon(home: Home): Promise<{ subject: Subject; close: () => unknown }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hooks-daemon.ts')], {
    env: { PATH: process.env.PATH ?? '', PAWL_HOME: home.folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const close = (): Promise<unknown> => {
    const ended = once(child, 'exit')
    child.stdin.end()
    return ended
  }
  return { subject: JSON.parse(line), close }
}

/** Answers without thinking. */
async function openEcho({ hookSocket }: Home): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.resume()
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.end('PAWL 1 0 2 0\nok'))
  }).listen(hookSocket)
  await once(server, 'listening')
  return server
}

async function openHttpEcho(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createHttpServer((asked, told) => {
    asked.resume()
    asked.on('end', () => told.end('{}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}

// ── the ways of a host ──────────────────────────────────────────────────────

let calls = 0

/** What a host says before a call; every call has an id of its own, so each is decided anew. */
function payloadOf(runId: string, host: ProvableHostId = 'claude'): Record<string, unknown> {
  calls += 1
  const { events, tools } = agentHosts[host]
  const command = 'git status --short'
  const input =
    host === 'cline' ? { commands: [command] } : { command, description: 'Show what has changed' }
  const hook_event_name = listIn(events.call)[0] ?? ''
  if (host === 'opencode') {
    const whose = { sessionID: `bench-${host}`, callID: `call_${process.pid}_${calls}` }
    return {
      hook_event_name,
      parentID: null,
      directory: '/work',
      ...whose,
      tool: 'bash',
      args: input,
    }
  }
  return {
    session_id: `bench-${host}-${runId}`,
    transcript_path: '/home/dev/.claude/projects/shop/bench.jsonl',
    cwd: '/work',
    permission_mode: 'default',
    hook_event_name,
    tool_name: tools.shell,
    tool_input: input,
    tool_use_id: `toolu_${process.pid}_${calls}`,
  }
}

type Shell = (command: string, wanted: string, host?: ProvableHostId) => SendHook

/** Starts a shell per call, as hosts do, and waits until it is gone. */
function openShell(
  { runId }: Subject,
  env: Record<string, string>,
): { shell: Shell; close: () => void } {
  const children = new Set<ChildProcess>()
  const shell: Shell = (command, wanted, host) => async () => {
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: 'pipe' })
    children.add(child)
    let [out, err] = ['', '']
    child.stdout.on('data', (bytes) => {
      out += bytes
    })
    child.stderr.on('data', (bytes) => {
      err += bytes
    })
    // A hook that does nothing does not read.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(payloadOf(runId, host)))
    const [code] = await once(child, 'close')
    children.delete(child)
    if (code !== 0 || !out.includes(wanted) || out.includes('"deny"'))
      throw new Error(`${command} gave ${code}: ${out}${err}`)
  }
  const close = (): void => {
    for (const child of children) child.kill()
  }
  return { shell, close }
}

function poster({ url, headers, runId }: Subject): SendHook {
  const agent = new Agent({ keepAlive: true })
  return async () => {
    const body = JSON.stringify(payloadOf(runId))
    const length = { 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { agent, method: 'POST', headers: { ...headers, ...length } })
    sent.end(body)
    const [response] = await once(sent, 'response')
    let text = ''
    for await (const bytes of response) text += bytes
    if (response.statusCode !== 200 || text.includes('"deny"')) {
      throw new Error(`${url} gave ${response.statusCode}: ${text}`)
    }
  }
}

// ── what it took ────────────────────────────────────────────────────────────

async function timed(ask: SendHook, index: number): Promise<number> {
  const begun = performance.now()
  await ask(index)
  return performance.now() - begun
}

// WHY apart: a host that asks over HTTP starts no process for it, and whoever has just started one
//      finds every cache cold.
const kinds: readonly (readonly (keyof Wires)[])[] = [
  ['noop', 'floor', 'command', 'node'],
  ['httpFloor', 'http'],
]

async function printWires(wires: Wires): Promise<void> {
  const names = Object.keys(wires) as (keyof Wires)[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]))
  for (const kind of kinds) {
    for (let round = 0; round < warmUpCount; round += 1) await wires.http(round)
    for (let round = -5; round < roundsCount; round += 1) {
      for (const name of kind) {
        if (name === 'node' && round % nodeEvery !== 0) continue
        const ms = await timed(wires[name], round)
        if (round >= 0) times[name]?.push(ms)
      }
    }
  }
  const of = (name: keyof Wires, share: number): number => percentile(times[name] ?? [], share)
  const above = (name: keyof Wires): string => {
    const [own, none] = [of(name, 0.5), of('noop', 0.5)]
    return `${(own - none).toFixed(1)} more, ${(own / none).toFixed(1)} ×`
  }
  const rows: readonly (readonly [keyof Wires, string, string])[] = [
    ['noop', 'no-op, `sh -c :`', ''],
    ['floor', 'client in C, echo', ''],
    ['command', 'client in C, decision', 'goal ≤ 5 above the no-op'],
    ['node', 'client in Node, decision', ''],
    ['httpFloor', 'HTTP, echo', ''],
    ['http', 'HTTP, decision', 'goal ≤ 2'],
  ]
  // The best tells what it costs when the machine does nothing else.
  console.log('\none guarded call seen from the host, ms: best / p50 / p99; p50 beside the no-op')
  console.log(`  (a daemon that has answered ${warmUpCount} calls)`)
  for (const [name, label, goal] of rows) {
    const told = [0, 0.5, 0.99].map((share) => of(name, share).toFixed(2).padStart(8)).join(' /')
    const beside = name === 'noop' ? '' : above(name)
    console.log(`  ${label.padEnd(26)}${told}  ${beside.padEnd(24)} ${goal}`.trimEnd())
  }
}

/** Every host waits for the same client before a call, with a payload of its own. */
async function printHosts(noop: SendHook, byHost: HostAsks): Promise<void> {
  const subjects: readonly (readonly [string, SendHook])[] = [['noop', noop], ...byHost]
  const times = new Map(subjects.map(([name]) => [name, [] as number[]]))
  for (let round = -5; round < hostRoundsCount; round += 1) {
    for (const [name, ask] of subjects) {
      const ms = await timed(ask, round)
      if (round >= 0) times.get(name)?.push(ms)
    }
  }
  const none = percentile(times.get('noop') ?? [], 0.5)
  console.log('\nwhat a host waits for before a call, ms: p50, and above a no-op (goal ≤ 5)')
  for (const [host] of byHost) {
    const own = percentile(times.get(host) ?? [], 0.5)
    console.log(
      `  ${host.padEnd(12)}${own.toFixed(2).padStart(8)}  ${(own - none).toFixed(1)} more`,
    )
  }
}

/** WHY plain processes: threads of this one would slow the measuring and not the measured. */
function burn(): () => void {
  const busyMs = 100 * loadShare
  // Ends by itself when the bench was killed.
  const code = `
    const rest = new Int32Array(new SharedArrayBuffer(4))
    for (const parent = process.ppid; process.ppid === parent; ) {
      for (const end = performance.now() + ${busyMs}; performance.now() < end; );
      Atomics.wait(rest, 0, 0, ${100 - busyMs})
    }`
  const burners = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', code], { stdio: 'ignore' }),
  )
  return () => {
    for (const burner of burners) burner.kill('SIGKILL')
  }
}

async function printLoaded(wires: Wires): Promise<void> {
  const stop = burn()
  try {
    console.log(
      `\n${loadedCallsCount} calls by ${loadedClientsCount} at once while every core is busy ` +
        `${loadShare * 100} % of the time, ms`,
    )
    for (const name of ['command', 'http'] as const) {
      const { times, failures } = await askMany(wires[name])
      const lateCount = times.filter((ms) => ms > timeoutMs).length
      const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1))
      console.log(
        `  ${name.padEnd(10)} p50 ${p50}, p99 ${p99}, worst ${worst}; timeouts ${lateCount}, ` +
          `failures ${failures.length} (goal 0)`,
      )
      for (const failure of failures.slice(0, 3)) console.log(`    ${failure}`)
    }
  } finally {
    stop()
  }
}

async function askMany(ask: SendHook): Promise<{ times: number[]; failures: string[] }> {
  const times: number[] = []
  const failures: string[] = []
  let next = 0
  const clients = Array.from({ length: loadedClientsCount }, async () => {
    while (next < loadedCallsCount) {
      next += 1
      try {
        times.push(await timed(ask, next))
      } catch (fault) {
        failures.push(fault instanceof Error ? fault.message : String(fault))
      }
    }
  })
  await Promise.all(clients)
  return { times, failures }
}
