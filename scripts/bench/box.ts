/**
 * The box beside no box: a host until its first request to the model, the installation of a real
 * project (this one), a run of its tests, and the start of a program, which is recorded. Hosts that
 * are not installed are left out (`npm run test:hosts` installs them).
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { agentHosts, type ProvableHostId, provableHostIds } from '../../src/core/hosts/registry.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { findProgram } from '../../src/prove/hosts/find-host.ts'
import { openSandboxEnv, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { median, print, type Row } from './measure.ts'

const root = join(import.meta.dirname, '..', '..')
const pawl = [process.execPath, join(root, 'dist', 'main', 'pawl.js')] as const
const rounds = Number(process.env.BENCH_BOX_ROUNDS ?? 5)
const commandMsMax = 10 * 60_000
const openDefinition = JSON.stringify({
  id: 'open',
  initial: 'work',
  states: { work: { on: { DONE: 'done' } }, done: { type: 'final' } },
})

export async function benchBox(): Promise<void> {
  const hosts = provableHostIds.filter((host) => !('none' in agentHosts[host].box.settings))
  const rows: Row[] = []
  for (const host of hosts) {
    const program = findProgram(host, process.env)
    if (program !== null) rows.push(...(await benchHost(host, program)))
  }
  print(`until a host asks its model (median of ${rounds})`, rows)
  await benchProject()
  await benchStarts()
}

/** What is measured without a box and in one, in turn; one round of each is not counted. */
async function compare(act: (isBoxed: boolean) => Promise<number>): Promise<Beside> {
  const times: { bare: number[]; boxed: number[] } = { bare: [], boxed: [] }
  for (let round = -1; round < rounds; round += 1) {
    const [bare, boxed] = [await act(false), await act(true)]
    if (round < 0) continue
    times.bare.push(bare)
    times.boxed.push(boxed)
  }
  return { bare: median(times.bare), boxed: median(times.boxed) }
}

type Beside = { readonly bare: number; readonly boxed: number }

function rowsOf(name: string, { bare, boxed }: Beside): readonly Row[] {
  return [
    [`${name}, bare`, bare, 'ms'],
    [`${name}, in a box`, boxed, `ms, ${(boxed / bare).toFixed(2)}×`],
  ]
}

async function benchHost(host: ProvableHostId, program: string): Promise<readonly Row[]> {
  const world = await openSandboxEnv({ host, program, pawl })
  try {
    const runId = await startRun(world)
    return rowsOf(
      host,
      await compare((isBoxed) => timeToModel(world, isBoxed ? { box: { pawl, runId } } : {})),
    )
  } finally {
    await world.close()
  }
}

type Boxed = Pick<Parameters<typeof drive>[0], 'box'>

async function timeToModel(world: SandboxEnv, boxed: Boxed): Promise<number> {
  const begun = performance.now()
  let readyMs = Number.NaN
  const transcript = await drive({
    ...world,
    ...boxed,
    script: { turns: [{ text: 'Done.' }] },
    onTurn: () => {
      if (Number.isNaN(readyMs)) readyMs = performance.now() - begun
    },
  })
  if (Number.isNaN(readyMs)) throw new Error(`no request: ${transcript.output.slice(-500)}`)
  return readyMs
}

/** WHY an own cache in the project: the home is empty in a box, and nothing is to be downloaded. */
async function benchProject(): Promise<void> {
  const world = await openWorld()
  try {
    const files = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.base.json', 'src']
    for (const name of files)
      cpSync(join(root, name), join(world.project, name), { recursive: true })
    const cache = join(world.project, '.npm-cache')
    mkdirSync(cache)
    const install = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', cache]
    // WHY as we are: the user's own settings say how the registry is reached.
    await promisify(execFile)('npm', install.slice(1), { cwd: world.project })
    const runId = await startRun(world)
    const inBox = [...pawl, 'run', '--run', runId, '--']
    const timed = (command: readonly string[]) =>
      compare((isBoxed) => timeCommand(world, isBoxed ? [...inBox, ...command] : command))
    const tests = ['npx', '--offline', 'vitest', 'run', '--root', '.', 'src/core/engine']
    print(`a real project (median of ${rounds})`, [
      ...rowsOf('npm ci', await timed([...install, '--offline'])),
      ...rowsOf('its tests', await timed(tests)),
    ])
  } finally {
    await world.close()
  }
}

/** Only the start of a program. */
export async function benchStarts(): Promise<void> {
  const world = await openWorld()
  try {
    const inBox = [...pawl, 'run', '--run', await startRun(world), '--']
    const { bare, boxed } = await compare((isBoxed) => timeStart(world, isBoxed ? inBox : []))
    print(`the start of a program (median of ${rounds}, ${startsCount} each)`, [
      ['bare', bare, 'µs'],
      ['in a box', boxed, `µs, ${(boxed - bare).toFixed(0)} more`],
    ])
  } finally {
    await world.close()
  }
}

const openWorld = (): Promise<SandboxEnv> =>
  openSandboxEnv({ host: 'claude', program: process.execPath, pawl, path: process.env.PATH ?? '' })

const startsCount = 2_000
const startAll = `begun=$(date +%s%N)
i=0; while [ $i -lt ${startsCount} ]; do /bin/true; i=$((i + 1)); done
echo "took $(($(date +%s%N) - begun))"`

/** Microseconds for each, told by the shell that starts them. */
async function timeStart(world: SandboxEnv, inBox: readonly string[]): Promise<number> {
  const [program = '', ...args] = [...inBox, 'sh', '-c', startAll]
  const env = { ...world.env, HOME: world.home, TERM: 'dumb' }
  const { stdout } = await promisify(execFile)(program, args, { cwd: world.project, env })
  return Number(/took (\d+)/.exec(stdout)?.[1]) / startsCount / 1_000
}

async function startRun(world: SandboxEnv): Promise<string> {
  const file = join(world.root, 'open.json')
  writeFileSync(file, openDefinition)
  return JSON.parse(await world.mustPawl('start', file, '--json')).runId
}

async function timeCommand(world: SandboxEnv, command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command
  const begun = performance.now()
  const env = { ...world.env, HOME: world.home, TERM: 'dumb', CI: '1' }
  await promisify(execFile)(program, args, { cwd: world.project, env, timeout: commandMsMax })
  return performance.now() - begun
}
