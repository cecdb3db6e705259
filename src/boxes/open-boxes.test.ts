import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compileDefinition } from '../core/dialects/compile-definition.ts'
import { type Family, startFamily } from '../core/engine/family.ts'
import { sourceOf } from '../core/source/source.ts'
import { writeBoxNote } from './box-folder.ts'
import { type OpenBoxes, openBoxes } from './open-boxes.ts'

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

/** The supervisor of a box that a daemon before has left. */
async function openLeftBox() {
  const root = mkdtempSync(join(tmpdir(), 'pawl-boxes-'))
  const folder = join(root, 'boxes')
  const box = join(folder, 'box_1')
  mkdirSync(box, { recursive: true })
  writeBoxNote(box, {
    ...{ id: 'box_1', runId: 'run_1', host: null, workspace: root, program: 'sh', startedAt: 0 },
    ...{ destinations: null, placeholders: [], cgroups: [] },
  })
  const left = { folder, isBusy: false, mode: 'unknown' }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (part) => {
      const mode = /\b(?:read|scratch|write)\b/.exec(String(part))?.[0]
      if (!left.isBusy) left.mode = mode ?? left.mode
      socket.write(left.isBusy ? 'busy 1\n\n' : 'ok\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(join(box, 'control'), resolve))
  onTestFinished(() => {
    server.close()
    rmSync(root, { recursive: true })
  })
  return left
}

type DoorsOpened = () => Promise<void> | void

/** `family`: as the run is stored. */
function boxesOf(folder: string, family: Family, onDoors: DoorsOpened): OpenBoxes {
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
      await onDoors()
      return { close: async () => undefined }
    },
    readPlace: async () => ({ workspace: null, family, minIsolations: [] }),
  })
  onTestFinished(() => boxes.close())
  return boxes
}

test('a move that comes while a box is found again is not undone', async () => {
  const left = await openLeftBox()
  // The agent in the box sends a signal as soon as it can; the move is not stored yet.
  const boxes = boxesOf(left.folder, familyWith('write'), () =>
    boxes.follow('run_1', familyWith('read')),
  )
  await boxes.recover()
  await expect.poll(() => left.mode).toBe('read')
  expect(boxes.list()).toMatchObject([{ mode: 'read' }])
})

test('nobody in a box is heard until its files are as the stage says', async () => {
  const left = await openLeftBox()
  left.isBusy = true
  const modes: string[] = []
  const boxes = boxesOf(left.folder, familyWith('read'), () => void modes.push(left.mode))
  await boxes.recover()
  expect(modes).toEqual([])
  left.isBusy = false
  await expect.poll(() => modes, { timeout: 10_000 }).toEqual(['read'])
})
