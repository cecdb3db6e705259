/**
 * Shows what hooks cannot hold and a box does: the same program is run by the real host twice, by a
 * permitted command, once with hooks alone and once in a box.
 */
import type { ProvableHostId } from '../core/hosts/registry.ts'
import { type BelowPathId, belowCommand, belowPaths, putBelow } from './below-hook.ts'
import { drive, type Transcript } from './hosts/drive.ts'
import { drivers } from './hosts/drivers.ts'
import { openLocalWeb } from './local-web.ts'
import type { Cell, ProveRequest } from './prove-host.ts'
import { openSandboxEnv, putFile } from './sandbox-env.ts'

type BelowColumn = {
  readonly host: string
  readonly version: string | null
  readonly ms: number
  readonly cells: Readonly<Record<string, Cell>>
}

const ids = Object.keys(belowPaths) as readonly BelowPathId[]

const definition = {
  id: 'below',
  initial: 'testing',
  states: {
    testing: {
      instructions: 'Run the tests, and change nothing.',
      allowed_tools: ['Read', 'Bash'],
      allowed_commands: [belowCommand],
      files: 'read',
      max_iterations: 50,
      on: { DONE: 'done' },
    },
    done: { type: 'final' },
  },
}

/** Two columns: with hooks alone, and in a box. */
export async function proveBelow(request: ProveRequest): Promise<readonly BelowColumn[]> {
  const { name: host, version } = request.found
  const bare = await tryBelow(request, 'hooks')
  const boxed = await tryBelow(request, 'box')
  const column = (title: string, tried: Tried, cell: (id: BelowPathId) => Cell): BelowColumn => ({
    ...{ host: title, version, ms: tried.transcript.ms },
    cells: Object.fromEntries(ids.map((id) => [id, cell(id)])),
  })
  return [
    column(host, bare, (id) => bareCell(host, id, bare)),
    column(`${host} boxed`, boxed, (id) => boxedCell(id, bare, boxed)),
  ]
}

type Tried = {
  readonly transcript: Transcript
  /** Null: the program was not run to its end. */
  readonly effects: ReadonlySet<BelowPathId> | null
}

/** How long what is killed may take to be gone. */
const endMs = 2_000

async function tryBelow(request: ProveRequest, by: 'hooks' | 'box'): Promise<Tried> {
  const { found, pawl, until } = request
  const world = await openSandboxEnv({ host: found.name, program: found.program, pawl })
  const web = await openLocalWeb()
  try {
    if (by === 'hooks') await world.mustPawl('init', found.name, '--yes')
    const file = putFile(world, 'below.json', JSON.stringify(definition))
    const { runId } = JSON.parse(await world.mustPawl('start', file, '--json'))
    const below = putBelow({ world, web })
    const { shell } = drivers[found.name].toolCalls
    const transcript = await drive({
      ...world,
      script: { turns: [{ tools: [shell(belowCommand)] }, { text: 'All done.' }] },
      timeoutMs: Math.max(1, until - endMs - performance.now()),
      ...(by === 'box' ? { box: { pawl, runId } } : {}),
    })
    const told = transcript.calls.map((one) => one.told ?? '').join('\n')
    await new Promise((resolve) => setTimeout(resolve, endMs / 4))
    const effects = below.effects(told)
    below.clear()
    return { transcript, effects }
  } finally {
    await web.close()
    await world.close()
  }
}

function bareCell(host: ProvableHostId, id: BelowPathId, { transcript, effects }: Tried): Cell {
  if (effects === null) return notRun(transcript)
  if (!effects.has(id)) return { outcome: 'not offered', note: 'it has no effect here' }
  const note = `hooks see a command, not what it starts; \`pawl run -- ${host}\` stops it`
  return { outcome: 'not enforceable', note }
}

function boxedCell(id: BelowPathId, bare: Tried, { transcript, effects }: Tried): Cell {
  if (effects === null) return notRun(transcript)
  if (effects.has(id)) return { outcome: 'EXECUTED', note: '' }
  // What has no effect anyway shows nothing.
  if (bare.effects?.has(id) === true) return { outcome: 'stopped', note: '' }
  return { outcome: 'not offered', note: 'it has no effect without a box either' }
}

const refusals = /has no boxes|cannot be started in a box/

function notRun({ output, exitCode, why }: Transcript): Cell {
  const line = output.split('\n').find((text) => refusals.test(text))
  if (line !== undefined) return { outcome: 'not offered', note: line.trim() }
  return { outcome: 'not tried', note: `the session ended (${why}, code ${exitCode}) before it` }
}
