import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StageFiles } from '../core/engine/stage-files.ts'
import type { BoxAnswer } from './box-control.ts'
import {
  inTurn,
  type SwitchedBox,
  settle,
  settleAgain,
  settleOnce,
  switchTo,
} from './switch-files.ts'

const filesOf = (mode: StageFiles['mode']): StageFiles => ({
  mode,
  folders: [],
  programsDenied: [],
})
const [reading, writing] = [filesOf('read'), filesOf('write')]
const busy: BoxAnswer = { kind: 'busy', holders: [], foundMs: 1 }

/** A box that answers so, one after the other, and then `ok`; `modes` is what it was asked for. */
function openBox(answers: readonly BoxAnswer[], files = writing) {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-files-')))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  const left = [...answers]
  const modes: (string | undefined)[] = []
  const ask = async ([, mode]: readonly string[]): Promise<BoxAnswer> => {
    modes.push(mode)
    return left.shift() ?? { kind: 'ok' }
  }
  const box: SwitchedBox = {
    note: {
      ...{ id: 'box_1', runId: 'run_1', host: null, workspace, program: 'sh', startedAt: 0 },
      ...{ destinations: null, placeholders: [], cgroups: [] },
    },
    ...{ files, isSure: false, isFollowed: false, last: Promise.resolve(), settling: null },
    control: { ask, close: () => undefined },
  }
  return { box, modes }
}

const isOpen = (): boolean => true
const log = (): void => undefined

test('files that nobody knows are set as the stored run says', async () => {
  const { box, modes } = openBox([])
  expect(await settleOnce(box, { read: async () => reading })).toBe(null)
  expect(modes).toEqual(['read'])
  expect(box).toMatchObject({ files: reading, isSure: true })
})

test('what a move has asked for is not undone by the run as it was stored before', async () => {
  const { box, modes } = openBox([])
  const move = inTurn(box, () => switchTo(box, reading))
  expect(await settleOnce(box, { read: async () => writing })).toBe(null)
  await move
  // The line was lost and is there again, while the move is not stored yet.
  box.isSure = false
  expect(await settleOnce(box, { read: async () => writing })).toBe(null)
  expect(modes).toEqual(['read', 'read'])
  expect(box).toMatchObject({ files: reading, isSure: true })
})

test('what the box does already is not asked for again', async () => {
  const { box, modes } = openBox([])
  box.isSure = true
  await settle(box, { read: async () => writing, isOpen, log })
  expect(modes).toEqual([])
})

test('files that cannot be set are tried again until they are', async () => {
  const { box, modes } = openBox([busy, { kind: 'fault', why: 'lost' }, busy])
  const told: string[] = []
  await settle(box, {
    ...{ read: async () => reading, isOpen, retryMs: 1 },
    log: (_, what) => void told.push(what),
  })
  expect(modes).toHaveLength(4)
  expect(box).toMatchObject({ files: reading, isSure: true })
  expect(told).toEqual(['the files of a box could not be set yet'])
})

test('a line that is lost again and again is no reason to try at once', async () => {
  const { box, modes } = openBox([busy, busy])
  const means = { read: async () => reading, isOpen, log, retryMs: 20 }
  await Promise.all(Array.from({ length: 5 }, () => settleAgain(box, means)))
  expect(modes).toHaveLength(3)
  expect(box.settling).toBeNull()
})

test('a box that has ended is not tried again', async () => {
  const { box, modes } = openBox([busy, busy, busy, busy])
  await settle(box, {
    ...{ read: async () => reading, log, retryMs: 1 },
    isOpen: () => modes.length < 2,
  })
  expect(modes).toHaveLength(2)
  expect(box.isSure).toBe(false)
})

test.each(['docs', 'up/src', 'all', 'out/new', 'nowhere/new', '..'])(
  '`%s` leads elsewhere, so it is not opened',
  async (name) => {
    const { box, modes } = openBox([])
    const { workspace } = box.note
    mkdirSync(join(workspace, 'src'))
    symlinkSync('src', join(workspace, 'docs'))
    symlinkSync('.', join(workspace, 'up'))
    symlinkSync('.', join(workspace, 'all'))
    symlinkSync(tmpdir(), join(workspace, 'out'))
    symlinkSync('none', join(workspace, 'nowhere'))
    const files: StageFiles = { mode: 'write', folders: ['src', name], programsDenied: [] }
    await expect(switchTo(box, files)).rejects.toMatchObject({ code: 'FILES_IN_USE' })
    expect(modes).toEqual([])
    await switchTo(box, { ...files, folders: ['src/', 'new/folder'] })
    expect(modes).toEqual(['write'])
  },
)
