import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { compileDefinition } from '../core/dialects/compile-definition.ts'
import { type Family, startFamily } from '../core/engine/family.ts'
import { sourceOf } from '../core/source/source.ts'
import { writeBoxNote } from './box-folder.ts'
import { type OpenBoxes, openBoxes } from './open-boxes.ts'

const noProc = 'boxes are found by `/proc/self/fd`, which this machine does not have'
beforeEach(({ skip }) => skip(!existsSync('/proc/self/fd'), noProc))

/** A run in a stage with these files. */
function familyWith(files: string): Family {
  const states = { one: { files, on: { END: 'done' } }, done: { type: 'final' } }
  const { machines } = compileDefinition(sourceOf({ id: 'boxed', initial: 'one', states }))
  const machine = machines[0]
  if (machine === undefined) throw new Error('bug: the definition is wrong')
  const start = { type: 'StartRun', stage: null, vars: {}, branch: null } as const
  const actor = { kind: 'agent', name: 'agent' } as const
  const context = { library: () => undefined, at: 0, actor }
  return startFamily({ runId: 'run_1', machine }, start, context).family
}

/** WHY a short one: the path of a socket has at most 107 bytes. */
const scratch = '/tmp'

/** A folder of boxes that a daemon before has left. */
function openLeftBoxes(): string {
  const root = mkdtempSync(join(scratch, 'pawl-boxes-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return join(root, 'boxes')
}

/** The supervisor of one of them. */
async function openLeftBox(folder = openLeftBoxes(), id = 'box_1') {
  const box = join(folder, id)
  mkdirSync(box, { recursive: true })
  writeBoxNote(box, {
    ...{ id, runId: 'run_1', host: null, workspace: folder, program: 'sh', startedAt: 0 },
    ...{ destinations: null, placeholders: [], cgroups: [] },
  })
  const callers: Socket[] = []
  const end = (): void => {
    for (const socket of callers) socket.destroy()
    server.close()
  }
  const left = { folder, isBusy: false, mode: 'unknown', end }
  const server = createServer((socket) => {
    callers.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (part) => {
      const mode = /\b(?:read|scratch|write)\b/.exec(String(part))?.[0]
      if (!left.isBusy) left.mode = mode ?? left.mode
      socket.write(left.isBusy ? 'busy 1\n\n' : 'ok\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(join(box, 'control'), resolve))
  onTestFinished(end)
  return left
}

type Doors = {
  readonly onOpen?: () => Promise<void> | void
  readonly onClose?: () => void
}

/** `family`: as the run is stored. */
function boxesOf(folder: string, family: Family, doors: Doors = {}): OpenBoxes {
  const limits = {
    ...{ cpus: 1, memoryBytes: 1, processes: 1, outputBytes: 1, fileBytes: 1, cpuSeconds: null },
    ...{ tmpBytes: 1, leaseMs: 1, jobsRunningMax: 1, keepMs: 1, keepCount: 1, keepBytes: 1 },
  }
  const unused = async (): Promise<never> => Promise.reject(new Error('bug: not asked for here'))
  const boxes = openBoxes({
    settings: {
      ...{ folder, limits, own: [], userFolders: [], homePaths: [], path: '/usr/bin' },
      ...{ helper: unused, now: Date.now },
    },
    config: { network: 'none', minIsolation: 'none', home: [], limits },
    ...{ newId: () => 'id', log: () => undefined, held: unused },
    openDoors: async () => {
      await doors.onOpen?.()
      return { close: async () => doors.onClose?.() }
    },
    readPlace: async () => ({ workspace: null, family, minIsolations: [] }),
  })
  onTestFinished(() => boxes.close())
  return boxes
}

test('a move that comes while a box is found again is not undone', async () => {
  const left = await openLeftBox()
  // The agent in the box sends a signal as soon as it can; the move is not stored yet.
  const boxes = boxesOf(left.folder, familyWith('write'), {
    onOpen: () => boxes.follow('run_1', familyWith('read')),
  })
  await boxes.recover()
  await expect.poll(() => left.mode).toBe('read')
  expect(boxes.list()).toMatchObject([{ mode: 'read' }])
})

test('nobody in a box is heard until its files are as the stage says', async () => {
  const left = await openLeftBox()
  left.isBusy = true
  const modes: string[] = []
  const boxes = boxesOf(left.folder, familyWith('read'), {
    onOpen: () => void modes.push(left.mode),
  })
  await boxes.recover()
  expect(modes).toEqual([])
  left.isBusy = false
  await expect.poll(() => modes, { timeout: 10_000 }).toEqual(['read'])
})

async function openTwo() {
  const folder = openLeftBoxes()
  const both = [await openLeftBox(folder, 'box_1'), await openLeftBox(folder, 'box_2')] as const
  const boxes = boxesOf(folder, familyWith('read'))
  await boxes.recover()
  return { both, boxes, modes: () => both.map(({ mode }) => mode) }
}

test('a box that does not follow keeps no other box of its run from it', async () => {
  const { both, boxes, modes } = await openTwo()
  await boxes.follow('run_1', familyWith('write'))
  both[0].isBusy = true
  const moved = boxes.follow('run_1', familyWith('scratch'))
  await expect(moved).rejects.toMatchObject({ code: 'FILES_IN_USE' })
  expect(modes()).toEqual(['write', 'scratch'])
})

test('after a move that was not stored, all boxes are closed as soon as they can be', async () => {
  const { both, boxes, modes } = await openTwo()
  await boxes.follow('run_1', familyWith('write'))
  both[0].isBusy = true
  await boxes.undo('run_1', familyWith('read'))
  expect(modes()).toEqual(['write', 'read'])
  both[0].isBusy = false
  await expect.poll(modes, { timeout: 10_000 }).toEqual(['read', 'read'])
  expect(boxes.list().map(({ mode }) => mode)).toEqual(['read', 'read'])
})

test('a move that comes while boxes are closed again is not undone', async () => {
  const { both, boxes, modes } = await openTwo()
  await boxes.follow('run_1', familyWith('scratch'))
  both[0].isBusy = true
  await boxes.undo('run_1', familyWith('read'))
  both[0].isBusy = false
  await boxes.follow('run_1', familyWith('write'))
  await sleep(2_500)
  expect(modes()).toEqual(['write', 'write'])
})

test('a box that ends while its sockets are opened leaves none of them open', async () => {
  const left = await openLeftBox()
  let closed = 0
  const boxes = boxesOf(left.folder, familyWith('read'), {
    onOpen: async () => {
      left.end()
      await expect.poll(() => boxes.list()).toEqual([])
    },
    onClose: () => {
      closed += 1
    },
  })
  await boxes.recover()
  expect(closed).toBe(1)
})
