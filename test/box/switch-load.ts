/**
 * Switches the files of a box while processes in it write, hold, map and fork, and says what came
 * through: `node test/box/switch-load.ts [ROUNDS]`. One line of JSON.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BoxControl, connectBox } from '../../src/boxes/box-control.ts'
import { deniedCoverName, writeDeniedCover } from '../../src/boxes/denied-cover.ts'
import { compileHelper } from '../../src/runner/scratch.contract.ts'
import { frameOf } from '../../src/runtime/frame-words.ts'

export type LoadReport = {
  readonly rounds: number
  readonly refused: number
  /** Rounds in which files of the workspace changed while they were closed. */
  readonly writtenWhileClosed: number
  /** Lines that a process has written, and that are not there. */
  readonly linesLost: number
  readonly linesWritten: number
  /** Ways to keep files open that were not refused. */
  readonly keptOpen: readonly string[]
  /** Rounds in which nobody could write although the files were open. */
  readonly silentWhileOpen: number
  readonly p50: number
  readonly p95: number
  readonly holderNamed: boolean
  /** Until the refusal, with all tries; and of that, to find out who it is. */
  readonly holderMs: number
  readonly foundMs: number
}

/** Appends for ever, each time anew; and one that works in a folder of its own. */
const writers = [
  'while :; do echo x >> a.log; done',
  'while :; do (echo y >> b.log) & wait; done',
  'mkdir -p deep; while :; do cp a.log deep/c.log; mv deep/c.log deep/d.log; done',
]

type Box = {
  readonly workspace: string
  readonly control: BoxControl
  /** Of the process that made the box. */
  readonly pid: number
  readonly end: () => void
}

/** Gets a workspace ready, and gives more words for the helper. */
type Prepare = (workspace: string) => readonly string[]

/** Null: this machine has no boxes. */
export async function openLoadBox(
  program: string,
  prepare: Prepare = () => [],
  uid = process.getuid?.() ?? 0,
): Promise<Box | null> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-switch-')))
  const [workspace, folder, door] = ['ws', 'box', 'door'].map((name) => join(root, name))
  if (workspace === undefined || folder === undefined || door === undefined) return null
  for (const path of [workspace, folder, door]) mkdirSync(path)
  writeDeniedCover(join(door, deniedCoverName))
  const isOther = uid !== process.getuid?.()
  for (const path of [root, workspace, folder, door]) if (isOther) chownSync(path, uid, uid)
  const child = spawn(compileHelper(), ['session'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    ...(isOther ? { uid, gid: uid } : {}),
  })
  const more = prepare(workspace)
  const path = more.some((word) => word.startsWith('variable=PATH='))
  const words = [
    ...[`folder=${folder}`, `workspace=${workspace}`, `cwd=${workspace}`, `door=${door}`],
    ...['mode=write', 'tmp=67108864', 'home=1000000', 'filter=1'],
    ...(path ? [] : ['variable=PATH=/usr/bin:/bin']),
    ...more,
    ...['--', 'sh', '-c', program],
  ]
  const pipe = child.stdio[3]
  if (pipe !== null && pipe !== undefined && 'end' in pipe) pipe.end(frameOf(words))
  const end = (): void => {
    child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const control = await connectBox(folder, { onAgain: () => undefined, onEnd: () => undefined })
    if (control !== null && (await control.ask(['tell'])).kind === 'ok') {
      return { workspace, control, pid: child.pid ?? 0, end }
    }
    control?.close()
    await sleep(50)
  }
  end()
  return null
}

const names = ['a.log', 'b.log', 'lines.log', 'mapped.dat', 'forked.log']

/** What is in the files, and how long they are: one that is as long may have changed. */
function stateOf(workspace: string): string {
  const hash = createHash('sha256')
  for (const name of names) hash.update(`${name} `).update(bytesOf(join(workspace, name)))
  return hash.digest('hex')
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    // Not there yet.
    return Buffer.alloc(0)
  }
}

function compileLoad(workspace: string): string {
  const path = join(workspace, 'switch-load')
  execFileSync('cc', ['-O2', '-o', path, join(import.meta.dirname, 'switch-load.c')])
  return path
}

/** Lines are numbered from nought: whatever is missing between them was lost. */
function countLines(workspace: string): Pick<LoadReport, 'linesLost' | 'linesWritten'> {
  const lines = String(bytesOf(join(workspace, 'lines.log')))
    .split('\n')
    .slice(0, -1)
  const seen = new Set(lines)
  const linesWritten = Number(lines.at(-1) ?? -1) + 1
  return { linesWritten, linesLost: linesWritten - seen.size }
}

type Rounds = Pick<LoadReport, 'refused' | 'writtenWhileClosed' | 'silentWhileOpen'> &
  Pick<LoadReport, 'linesLost' | 'linesWritten' | 'keptOpen'> & { readonly times: number[] }

/** Closes the files in one way and opens them again, round after round. */
async function switchIn(mode: 'read' | 'scratch', rounds: number): Promise<Rounds | null> {
  const load = `${writers.map((one) => `(${one}) &`).join('\n')} ./switch-load "$PWD"`
  const box = await openLoadBox(load, (workspace) => {
    compileLoad(workspace)
    return []
  })
  if (box === null) return null
  const { workspace, control } = box
  const times: number[] = []
  let [refused, writtenWhileClosed, silentWhileOpen] = [0, 0, 0]
  const change = async (wanted: string): Promise<boolean> => {
    const begun = performance.now()
    const { kind } = await control.ask(['mode', wanted])
    times.push(performance.now() - begun)
    return kind === 'ok'
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (!(await change(mode))) {
        refused += 1
        continue
      }
      const before = stateOf(workspace)
      await sleep(3)
      if (stateOf(workspace) !== before) writtenWhileClosed += 1
      if (!(await change('write'))) refused += 1
      const open = stateOf(workspace)
      for (let wait = 0; wait < 200 && stateOf(workspace) === open; wait += 1) await sleep(5)
      if (stateOf(workspace) === open) silentWhileOpen += 1
    }
    const tried = String(bytesOf(join(workspace, 'tried.log'))).split('\n')
    const keptOpen = tried.filter((line) => !/^(?:refused .*)?$/.test(line))
    const done = { refused, writtenWhileClosed, silentWhileOpen, keptOpen, times }
    return { ...done, ...countLines(workspace) }
  } finally {
    box.end()
  }
}

export async function switchUnderLoad(rounds: number): Promise<LoadReport | null> {
  const some = Math.ceil(rounds / 3)
  const read = await switchIn('read', rounds - some)
  const scratch = read === null ? null : await switchIn('scratch', some)
  if (read === null || scratch === null) return null
  const held = await holdAndSwitch()
  const sorted = [...read.times, ...scratch.times].toSorted((one, two) => one - two)
  const at = (share: number): number =>
    Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2))
  return {
    rounds,
    refused: read.refused + scratch.refused,
    writtenWhileClosed: read.writtenWhileClosed + scratch.writtenWhileClosed,
    silentWhileOpen: read.silentWhileOpen + scratch.silentWhileOpen,
    // What is written into a layer goes with it.
    ...{ linesLost: read.linesLost, linesWritten: read.linesWritten },
    keptOpen: [...read.keptOpen, ...scratch.keptOpen],
    ...{ p50: at(0.5), p95: at(0.95) },
    ...held,
  }
}

type HolderReport = Pick<LoadReport, 'holderNamed' | 'holderMs' | 'foundMs'>

/** A process that keeps a file open: the switch is refused, and says who. */
async function holdAndSwitch(): Promise<HolderReport> {
  const box = await openLoadBox('exec 9> held.txt; sleep 1000')
  if (box === null) return { holderNamed: false, holderMs: 0, foundMs: 0 }
  try {
    await sleep(200)
    const begun = performance.now()
    const answer = await box.control.ask(['mode', 'read'])
    const holderMs = Math.round(performance.now() - begun)
    const path = join(box.workspace, 'held.txt')
    const holderNamed = answer.kind === 'busy' && answer.holders.some((one) => one.endsWith(path))
    const foundMs = answer.kind === 'busy' ? answer.foundMs : 0
    return { holderNamed, holderMs, foundMs }
  } finally {
    box.end()
  }
}

if (process.argv[1] === import.meta.filename) {
  const report = await switchUnderLoad(Number(process.argv[2] ?? 1_000))
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
