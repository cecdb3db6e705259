/**
 * Proves on one host what Pawl stops there: every canary is tried twice, with hooks and without.
 * A canary that does not sing without hooks proves nothing, and is not counted as stopped.
 */
import { extname, join } from 'node:path'
import { canariesFor, definition, type PathId, pathIds } from './canaries.ts'
import { type Trial, tryCanaries } from './canary.ts'
import type { FoundHost } from './hosts/find-host.ts'
import type { HostName } from './hosts/host.ts'
import { openWorld, putFile, type World, type WorldWish } from './world.ts'

export type Outcome = 'stopped' | 'EXECUTED' | 'not offered' | 'not enforceable' | 'not tried'

export type Cell = {
  readonly outcome: Outcome
  /** Why, and what covers it; empty where there is nothing to say. */
  readonly note: string
}

export type HostProof = {
  readonly host: HostName
  readonly version: string | null
  readonly ms: number
  readonly cells: Readonly<Record<PathId, Cell>>
}

export type ProveWish = {
  readonly found: FoundHost
  readonly pawl: WorldWish['pawl']
  /** When it has to be over, by the clock of `performance`. */
  readonly until: number
}

/** What it takes to end a session and clear up. */
const endMs = 2_000

/** Paths that end in no hook of the host, whoever installs it. */
const unreachable: Readonly<Partial<Record<HostName, Partial<Record<PathId, string>>>>> = {
  codex: {
    typed:
      'Codex calls no hook for `write_stdin`; opening the terminal is judged, so permit no shell ' +
      'or interpreter by name; isolation covers what is typed, nothing else does',
  },
}

/** Starts a host twice, in two worlds, and compares what came of each canary. */
export async function proveHost({ found, pawl, until }: ProveWish): Promise<HostProof> {
  const begun = performance.now()
  const { name: host, program, version } = found
  const wish = { host, program, pawl }
  const [guarded, control] = await Promise.all([
    inWorld(wish, (world) => tryGuarded(world, until)),
    inWorld(wish, (world) => tryIn(world, 'none', until)),
  ])
  const cells = pathIds.map((id) => [id, cellOf(host, id, { guarded, control })])
  const ms = Math.round(performance.now() - begun)
  return { host, version, ms, cells: Object.fromEntries(cells) }
}

async function inWorld<T>(wish: WorldWish, work: (world: World) => Promise<T>): Promise<T> {
  const world = await openWorld(wish)
  try {
    return await work(world)
  } finally {
    await world.close()
  }
}

async function tryGuarded(world: World, until: number): Promise<Trial> {
  await world.mustPawl('init', world.host, '--yes')
  const file = putFile(world, 'prove.json', JSON.stringify(definition))
  await world.mustPawl('start', file)
  return tryIn(world, 'installed', until)
}

function tryIn(world: World, hooks: 'installed' | 'none', until: number): Promise<Trial> {
  const server = join(import.meta.dirname, `mcp-canary${extname(import.meta.filename)}`)
  return tryCanaries({
    world,
    canaries: canariesFor(world, hooks),
    mcp: { canary: { command: process.execPath, args: [server] } },
    hookTrust: 'asked',
    timeoutMs: Math.max(1, until - endMs - performance.now()),
  })
}

type Trials = { readonly guarded: Trial; readonly control: Trial }

function cellOf(host: HostName, id: PathId, { guarded, control }: Trials): Cell {
  const [held, free] = [guarded, control].map(({ tried }) => tried.find((one) => one.id === id))
  if (held === undefined || free === undefined) {
    return { outcome: 'not offered', note: `${host} has no tool for it` }
  }
  if (held.hasLanded === true) {
    const limit = unreachable[host]?.[id]
    return limit === undefined
      ? { outcome: 'EXECUTED', note: '' }
      : { outcome: 'not enforceable', note: limit }
  }
  if (held.hasLanded === null) return { outcome: 'not tried', note: endText(guarded) }
  if (free.hasLanded === null) return { outcome: 'not tried', note: endText(control) }
  return free.hasLanded
    ? { outcome: 'stopped', note: '' }
    : { outcome: 'not offered', note: `it does nothing in ${host} without hooks either` }
}

function endText({ transcript }: Trial): string {
  const { why, exitCode, ms } = transcript
  const how = why === 'ended' ? `ended with code ${exitCode}` : `was ended (${why})`
  return `the session ${how} after ${Math.round(ms / 1000)} s, before it came to this`
}
