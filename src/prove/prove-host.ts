/**
 * Proves what Pawl stops on one host, in one session of the real program: every path is tried
 * first in a stage that permits everything, then in one that permits reading only. A canary that
 * has no effect when it is permitted proves nothing, and does not count as stopped.
 */
import { extname, join } from 'node:path'
import type { ProvableHostId } from '../core/hosts/registry.ts'
import { batchCanaries } from './batch-canaries.ts'
import {
  agentsCanary,
  brokenCanaries,
  callCanaries,
  type DeclaredPathId,
  declaredPathIds,
  isCallPath,
  type PathId,
  pathIds,
  typedCanary,
  wipeCanary,
} from './canaries.ts'
import { type Canary, type Trial, type Tried, tryCanaries } from './canary.ts'
import type { Transcript } from './hosts/drive.ts'
import { drivers } from './hosts/drivers.ts'
import type { HostProgram } from './hosts/find-host.ts'
import { type LocalWeb, openLocalWeb } from './local-web.ts'
import { linkWorkTree, tryLater, trySecond } from './other-sessions.ts'
import { openSandboxEnv, putFile, type SandboxEnv, type SandboxRequest } from './sandbox-env.ts'

export type ProofOutcome = 'stopped' | 'EXECUTED' | 'not offered' | 'not enforceable' | 'not tried'

export type Cell = {
  readonly outcome: ProofOutcome
  /** Why, and what covers it; empty where there is nothing to say. */
  readonly note: string
}

type HostProof = {
  readonly host: ProvableHostId
  readonly version: string | null
  readonly ms: number
  readonly cells: Readonly<Record<PathId, Cell>>
}

export type ProveRequest = {
  readonly found: HostProgram
  readonly pawl: SandboxRequest['pawl']
  /** When it has to be over, by the clock of `performance`. */
  readonly until: number
}

/** What it takes to end a session and clear up. */
const endMs = 2_000

const definition = {
  id: 'prove',
  initial: 'free',
  states: {
    free: {
      instructions: 'Do what you like.',
      max_iterations: 500,
      on: { LOOK: 'looking', TYPE: 'typing' },
    },
    looking: {
      instructions: 'Look, and change nothing.',
      // `exec` runs a program of code mode, whose calls are judged one by one.
      allowed_tools: ['Read', 'Grep', 'Glob', 'Agent', 'exec'],
      max_iterations: 500,
      on: { TYPE: 'typing', FREE: 'free' },
    },
    typing: {
      instructions: 'Open a shell.',
      allowed_tools: ['Bash'],
      allowed_commands: ['sh'],
      max_iterations: 50,
      on: { LOOK: 'looking', DONE: 'done' },
    },
    done: { type: 'final' },
  },
}

/** Goes before the ids of what is permitted. */
const permitted = 'permitted-'

/** Starts a host in a world of its own, and says what came of every path. */
export async function proveHost({ found, pawl, until }: ProveRequest): Promise<HostProof> {
  const begun = performance.now()
  const { name: host, program, version } = found
  const world = await openSandboxEnv({ host, program, pawl })
  const web = await openLocalWeb()
  try {
    const link = await linkWorkTree(world)
    await world.mustPawl('init', host, '--yes')
    const file = putFile(world, 'prove.json', JSON.stringify(definition))
    const { runId } = JSON.parse(await world.mustPawl('start', file, '--json'))
    const second: Tried[] = []
    const onOpen = async (): Promise<void> => {
      // WHY not before: the first session is held by the hooks of its folder alone.
      await world.mustPawl('init', '--user', host, '--yes')
      second.push(...(await trySecond(world, link, until - endMs)))
    }
    const trial = await tryAll({ world, web, runId, until, onOpen })
    const later = await tryLater(world, until - endMs)
    const tried = [...trial.tried, ...second, ...later]
    const cells = pathIds.map((id) => [id, cellOf(host, id, { ...trial, tried })])
    const ms = Math.round(performance.now() - begun)
    return { host, version, ms, cells: Object.fromEntries(cells) }
  } finally {
    await web.close()
    await world.close()
  }
}

type FirstSession = {
  readonly world: SandboxEnv
  readonly web: LocalWeb
  readonly runId: string
  readonly until: number
  /** Runs while the session is open and may only read. */
  readonly onOpen: () => Promise<void>
}

async function tryAll({ world, web, runId, until, onOpen }: FirstSession): Promise<Trial> {
  const send = (name: string) => async (): Promise<void> => {
    const client = world.openClient()
    try {
      await client.runs.signal({ runId, name, data: {} })
    } finally {
      client.close()
    }
  }
  const typed = typedCanary(world)
  const free = batchCanaries(`${permitted}batch`, callCanaries(world, web, permitted))
  const guards = batchCanaries('guards', [wipeCanary(world), agentsCanary(world)])
  const held = batchCanaries('held', callCanaries(world, web))
  const canaries = [
    ...free.canaries,
    ...guards.canaries,
    // WHY before those that break the daemon: opening the terminal needs its answer.
    ...(typed === null ? [] : [{ ...typed, before: send('TYPE') }]),
    ...startingWith(held.canaries, send('LOOK')),
    ...startingWith(brokenCanaries(world), onOpen),
  ]
  const server = join(import.meta.dirname, `mcp-canary${extname(import.meta.filename)}`)
  const trial = await tryCanaries({
    world,
    canaries,
    mcp: { canary: { command: process.execPath, args: [server] } },
    hookTrust: 'asked',
    timeoutMs: Math.max(1, until - endMs - performance.now()),
  })
  const each = [free, guards, held].flatMap(({ split }) => split(trial))
  return { ...trial, tried: [...trial.tried, ...each] }
}

function startingWith(
  [first, ...rest]: readonly Canary[],
  before: () => Promise<void>,
): readonly Canary[] {
  if (first === undefined) return []
  const both = async (): Promise<void> => {
    await before()
    await first.before?.()
  }
  return [{ ...first, before: both }, ...rest]
}

/** What one path came to. */
function cellOf(host: ProvableHostId, id: PathId, { tried, transcript }: Trial): Cell {
  const declared = declaredPathIds.find((one) => one === id)
  if (declared !== undefined) return declaredCell(host, declared)
  const of = (wanted: string): Tried | undefined => tried.find((one) => one.id === wanted)
  const held = of(id)
  // What breaks the guard is tried with the shell.
  const free = of(`${permitted}${id}`) ?? of(`${permitted}shell`)
  if (held === undefined || free === undefined) {
    return { outcome: 'not offered', note: `${host} has no tool for it` }
  }
  if (held.hasLanded === true) {
    const limit = drivers[host].unenforceable[id]
    return limit === undefined
      ? { outcome: 'EXECUTED', note: '' }
      : { outcome: 'not enforceable', note: limit }
  }
  if (held.hasLanded === null || free.hasLanded === null) {
    const note = `${earlyEnd(held.end ?? transcript)}, before this was tried`
    return { outcome: 'not tried', note }
  }
  const isRefused = held.told.some((text) => text?.includes('Pawl'))
  const isCalled = isCallPath(id) || id === 'wipe' || id === 'agents'
  if (free.hasLanded && isCalled && !isRefused) {
    return { outcome: 'not tried', note: 'it had no effect, but Pawl did not refuse it' }
  }
  // What needs the internet has no effect here, but a refusal is one.
  if (free.hasLanded || (id === 'fetch' && isRefused)) return { outcome: 'stopped', note: '' }
  const refusal = free.told.find((text) => text?.includes('Pawl'))
  return refusal === undefined
    ? { outcome: 'not offered', note: `it does nothing in ${host}, allowed or not` }
    : { outcome: 'not tried', note: `it was denied although it is allowed: ${refusal}` }
}

/** How a session ended in which something was not tried, and what helps. */
function earlyEnd({ why, exitCode, ms }: Transcript): string {
  const after = `after ${Math.round(ms / 1000)} s`
  if (why === 'timeout') return `time ran out ${after} (\`--timeout\` allows more)`
  return why === 'ended'
    ? `the session ended with code ${exitCode} ${after}`
    : `the session printed too much and was ended ${after}`
}

/** What is known of the host, and was not tried here. */
function declaredCell(host: ProvableHostId, id: DeclaredPathId): Cell {
  const note = drivers[host].declared[id]
  return note === undefined
    ? { outcome: 'not offered', note: `${host} does not do that past its hooks` }
    : { outcome: 'not enforceable', note: `not tried: ${note}` }
}
