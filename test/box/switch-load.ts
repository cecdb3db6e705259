/**
 * Switches the files of a box while processes in it write, hold, map and fork, and says what came
 * through: `node test/box/switch-load.ts [ROUNDS]`. One line of JSON.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BoxControl, connectBox } from '../../src/boxes/box-control.ts'
import { compileHelper } from '../../src/runner/scratch.contract.ts'
import { frameOf } from '../../src/runtime/frame-words.ts'

export type LoadReport = {
  readonly rounds: number
  readonly refused: number
  /** Bytes that came into the workspace while it was closed. */
  readonly writtenWhileClosed: number
  /** Rounds in which nobody could write although the files were open. */
  readonly silentWhileOpen: number
  readonly p50: number
  readonly p95: number
  readonly holderNamed: boolean
  readonly holderMs: number
}

/** Appends for ever, each time anew; forks; and one that begins in a folder of its own. */
const writers = [
  'while :; do echo x >> a.log; done',
  'while :; do (echo y >> b.log) & wait; done',
  'mkdir -p deep; while :; do cp a.log deep/c.log; mv deep/c.log deep/d.log; done',
]

type Box = { readonly workspace: string; readonly control: BoxControl; readonly end: () => void }

/** Gets a workspace ready, and gives more words for the helper. */
type Prepare = (workspace: string) => readonly string[]

/** Null: this machine has no boxes. */
export async function openLoadBox(
  program: string,
  prepare: Prepare = () => [],
): Promise<Box | null> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-switch-')))
  const [workspace, folder, door] = ['ws', 'box', 'door'].map((name) => join(root, name))
  if (workspace === undefined || folder === undefined || door === undefined) return null
  for (const path of [workspace, folder, door]) mkdirSync(path)
  const child = spawn(compileHelper(), ['session'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const words = [
    ...[`folder=${folder}`, `workspace=${workspace}`, `cwd=${workspace}`, `door=${door}`],
    ...['mode=write', 'tmp=67108864', 'home=1000000', 'filter=1', 'variable=PATH=/usr/bin:/bin'],
    ...prepare(workspace),
    ...['--', 'sh', '-c', program],
  ]
  const pipe = child.stdio[3]
  if (pipe !== null && pipe !== undefined && 'end' in pipe) pipe.end(frameOf(words))
  const end = (): void => {
    child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 100 && child.exitCode === null; tries += 1) {
    const control = await connectBox(folder, () => undefined)
    if (control !== null && (await control.ask(['tell'])).kind === 'ok') {
      return { workspace, control, end }
    }
    control?.close()
    await sleep(50)
  }
  end()
  return null
}

function bytesIn(workspace: string): number {
  return ['a.log', 'b.log'].reduce((sum, name) => {
    try {
      return sum + readFileSync(join(workspace, name)).length
    } catch {
      // Not there yet.
      return sum
    }
  }, 0)
}

export async function switchUnderLoad(rounds: number): Promise<LoadReport | null> {
  const box = await openLoadBox(`${writers.map((one) => `(${one}) &`).join('\n')} wait`)
  if (box === null) return null
  const times: number[] = []
  let [refused, writtenWhileClosed, silentWhileOpen] = [0, 0, 0]
  try {
    const change = async (mode: string): Promise<boolean> => {
      const begun = performance.now()
      const { kind } = await box.control.ask(['mode', mode])
      times.push(performance.now() - begun)
      return kind === 'ok'
    }
    for (let round = 0; round < rounds; round += 1) {
      if (!(await change(round % 3 === 2 ? 'scratch' : 'read'))) {
        refused += 1
        continue
      }
      const before = bytesIn(box.workspace)
      await sleep(3)
      writtenWhileClosed += bytesIn(box.workspace) - before
      if (!(await change('write'))) refused += 1
      const open = bytesIn(box.workspace)
      for (let wait = 0; wait < 200 && bytesIn(box.workspace) === open; wait += 1) await sleep(5)
      if (bytesIn(box.workspace) === open) silentWhileOpen += 1
    }
  } finally {
    box.end()
  }
  const held = await holdAndSwitch()
  const sorted = times.toSorted((one, two) => one - two)
  const at = (share: number): number =>
    Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2))
  return {
    ...{ rounds, refused, writtenWhileClosed, silentWhileOpen, p50: at(0.5), p95: at(0.95) },
    ...held,
  }
}

/** A process that keeps a file open: the switch is refused, and says who. */
async function holdAndSwitch(): Promise<Pick<LoadReport, 'holderNamed' | 'holderMs'>> {
  const box = await openLoadBox('exec 9> held.txt; sleep 1000')
  if (box === null) return { holderNamed: false, holderMs: 0 }
  try {
    await sleep(200)
    const begun = performance.now()
    const answer = await box.control.ask(['mode', 'read'])
    const holderMs = Math.round(performance.now() - begun)
    const path = join(box.workspace, 'held.txt')
    const holderNamed = answer.kind === 'busy' && answer.holders.some((one) => one.endsWith(path))
    return { holderNamed, holderMs }
  } finally {
    box.end()
  }
}

if (process.argv[1] === import.meta.filename) {
  const report = await switchUnderLoad(Number(process.argv[2] ?? 1_000))
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
