/**
 * Sessions of hosts in boxes: made by their daemon, started by whoever asked, opened and closed as
 * their run moves, and found again by the next daemon.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Family } from '../core/engine/family.ts'
import { filesOfFamily, isSameStageFiles, type StageFiles } from '../core/engine/stage-files.ts'
import type { LogLine } from '../daemon/log-file.ts'
import type { JobsConfig } from '../home/config-jobs.ts'
import { openRefusedNews } from '../runner/blocked-connections.ts'
import { letGroupsGo } from '../runner/cgroups.ts'
import { levelOf, rank } from '../runner/find-isolation.ts'
import type { HeldJob } from '../runner/plan-job.ts'
import type {
  Boxes,
  BoxHints,
  BoxSummary,
  BoxWish,
  OpenedBox,
} from '../runtime/boxes/boxes-port.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { MinIsolation } from '../runtime/jobs/jobs-port.ts'
import { type BoxControl, connectBox } from './box-control.ts'
import {
  type BoxNote,
  boxFolders,
  doorName,
  makePlaceholders,
  openBoxRemoval,
  planPlaceholders,
  readBoxNote,
  removeBox,
  writeBoxNote,
} from './box-folder.ts'
import { type BoxOutlet, openBoxOutlet } from './box-outlet.ts'
import { openProgramsLook } from './box-programs.ts'
import { deniedCoverName, writeDeniedCover } from './denied-cover.ts'
import { type BoxSettings, planBox } from './plan-box.ts'
import {
  inTurn,
  openFolders,
  type SettleMeans,
  type SwitchedBox,
  settle,
  settleAgain,
  settleOnce,
  switchTo,
} from './switch-files.ts'

/** What serves the sockets in a box's own folder. */
export type OpenBoxDoors = (box: {
  readonly hints: BoxHints
  readonly folder: string
  readonly runId: string
  readonly workspace: string
}) => Promise<{ readonly close: () => Promise<unknown> }>

type BoxesOptions = {
  readonly settings: BoxSettings
  readonly config: JobsConfig
  readonly newId: () => string
  readonly log: LogLine
  readonly held: () => Promise<HeldJob>
  readonly openDoors: OpenBoxDoors
  /** The run as it stands. Fault `RUN_UNKNOWN`. */
  readonly readPlace: (runId: string) => Promise<BoxPlace>
}

/** What a box has to know of its run. */
export type BoxPlace = {
  readonly workspace: string | null
  readonly family: Family
  readonly minIsolations: readonly MinIsolation[]
}

export type OpenBoxes = Boxes & {
  /** Fault `FILES_IN_USE`: somebody writes, so the run stays where it is. */
  readonly follow: (runId: string, family: Family) => Promise<void>
  /**
   * Sets the files after a move that may not have happened; where that fails, again until it is
   * done, as the stored run then says. Never rejects.
   */
  readonly undo: (runId: string, family: Family) => Promise<void>
  /** Finds the boxes of a daemon before; gives what there is to say about them. */
  readonly recover: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

type OpenBox = SwitchedBox & {
  readonly folder: string
  doors: { readonly close: () => Promise<unknown> }
  readonly outlet: BoxOutlet | null
}

/** In the folder of a box: texts that stand in place of files, in the order of their paths. */
const insteadName = 'instead'
/** How long a caller may take to start what it has opened. */
const startMsMax = 30_000
const lookMs = 25
const boxesMax = 200
/** How long a call waits for a box that has only just started. */
const callMsMax = 2_000

export function openBoxes(options: BoxesOptions): OpenBoxes {
  const boxes = new Map<string, OpenBox>()
  const remove = openBoxRemoval()
  const end = async (box: OpenBox): Promise<void> => {
    if (!boxes.delete(box.note.id)) return
    await release(box)
    letGroupsGo(box.note.cgroups)
    remove(box.folder, box.note.placeholders, boxes.size === 0 ? 'last' : 'one of several')
  }
  const { log, readPlace } = options
  const isOpen = (box: OpenBox): boolean => boxes.has(box.note.id)
  const settleMeans = (box: OpenBox): SettleMeans => ({
    read: async () => filesOfFamily((await readPlace(box.note.runId)).family),
    ...{ isOpen: () => isOpen(box), log },
  })
  const attach = (box: OpenBox): Promise<boolean> =>
    attachTo(box, {
      onEnd: () => void end(box),
      onAgain: () => void settleAgain(box, settleMeans(box)),
    })
  const add: Add = async (...made) => {
    const box = await newBox(...made)
    boxes.set(box.note.id, box)
    return box
  }
  /** A box whose caller never started it is none. */
  const isGone = async (box: OpenBox): Promise<boolean> => {
    for (let ms = 0; box.control === null && ms < startMsMax && isOpen(box); ms += lookMs) {
      if (await attach(box)) break
      await sleep(lookMs)
    }
    if (box.control === null) await end(box)
    return !isOpen(box)
  }
  return {
    open: async (wish) => {
      if (boxes.size >= boxesMax) throw new JobFault('ResourceExhausted', 'too many boxes are open')
      const { box, opened } = await makeBox(options, wish, add)
      await serveBox(options, box, isOpen).catch(async (fault: unknown) => {
        await end(box)
        throw fault
      })
      // The run may have moved before the box was there.
      void isGone(box).then(
        (isOver) => (isOver ? undefined : settle(box, settleMeans(box))),
        () => end(box),
      )
      return opened
    },
    list: () => [...boxes.values()].map(summaryOf),
    ...openMoves({ boxes, isGone, settleMeans }),
    recover: () => recoverBoxes(options, { add, attach, end, settleMeans }),
    close: async () => {
      for (const box of [...boxes.values()]) {
        boxes.delete(box.note.id)
        await release(box)
      }
    },
  }
}

type MoveMeans = {
  readonly boxes: ReadonlyMap<string, OpenBox>
  readonly isGone: (box: OpenBox) => Promise<boolean>
  readonly settleMeans: (box: OpenBox) => SettleMeans
}

/** What a run does with its boxes as it moves. */
function openMoves(means: MoveMeans): Pick<OpenBoxes, 'follow' | 'undo'> {
  const { boxes, isGone, settleMeans } = means
  const setFiles = async (box: OpenBox, wanted: StageFiles): Promise<void> => {
    if (box.isSure && isSameStageFiles(wanted, box.files)) box.isFollowed = true
    else if (!(await isGone(box))) await switchTo(box, wanted)
  }
  const undo = (box: OpenBox, wanted: StageFiles): Promise<void> =>
    inTurn(box, () => {
      // What the move has asked for holds no more: until the next one, the stored run says.
      box.isFollowed = false
      return setFiles(box, wanted)
    }).catch(() => void settle(box, settleMeans(box)))
  const ofRun = (runId: string): readonly OpenBox[] =>
    [...boxes.values()].filter(({ note }) => note.runId === runId)
  return {
    follow: async (runId, family) => {
      const wanted = filesOfFamily(family)
      const asked = ofRun(runId).map((box) => inTurn(box, () => setFiles(box, wanted)))
      // WHY each of them before a fault: a box that was not asked would stay open.
      for (const done of await Promise.allSettled(asked)) {
        if (done.status === 'rejected') throw done.reason
      }
    },
    undo: async (runId, family) => {
      const wanted = filesOfFamily(family)
      await Promise.all(ofRun(runId).map((box) => undo(box, wanted)))
    },
  }
}

/** Whether the box is there. */
async function attachTo(box: OpenBox, events: Parameters<typeof connectBox>[1]): Promise<boolean> {
  const control = await connectBox(box.folder, events)
  // Who waits for the box and who moves its run may both have found it.
  if (box.control === null) box.control = control
  else control?.close()
  return box.control !== null
}

function summaryOf({ note, files }: OpenBox): BoxSummary {
  const { id, runId, host, workspace, startedAt } = note
  return { ...{ id, runId, host, workspace, startedAt }, mode: files.mode }
}

async function release({ control, doors, outlet }: OpenBox): Promise<void> {
  control?.close()
  outlet?.close()
  await doors.close()
}

type Made = readonly [note: BoxNote, folder: string, files: StageFiles, known: 'sure' | 'unsure']
type Add = (...made: Made) => Promise<OpenBox>

/** A box with its way out, and no sockets yet. */
async function newBox(...[note, folder, files, known]: Made): Promise<OpenBox> {
  return {
    ...{ note, folder, files, isSure: known === 'sure', isFollowed: false, control: null },
    ...{ last: Promise.resolve(), settling: null },
    doors: { close: async () => undefined },
    outlet: await openBoxOutlet(folder, note.destinations),
  }
}

/** Opens the sockets in a box, through which its agent speaks. */
async function serveBox(
  { openDoors }: BoxesOptions,
  box: OpenBox,
  isOpen: (box: OpenBox) => boolean,
): Promise<void> {
  const { note, folder, outlet } = box
  const hints: BoxHints = {
    files: () => box.files,
    takeRefused: outlet === null ? () => [] : openRefusedNews(outlet.refusals),
    ...openProgramsLook(() => startedControl(box)),
  }
  const { runId, workspace } = note
  const doors = await openDoors({ folder: join(folder, doorName), runId, workspace, hints })
  // The box may have ended meanwhile, with all that was open then.
  if (isOpen(box)) box.doors = doors
  else await doors.close()
}

/** WHY it waits: a call from inside may be there before the daemon has found the box. */
async function startedControl(box: OpenBox): Promise<BoxControl | null> {
  for (let ms = 0; box.control === null && ms < callMsMax; ms += lookMs) await sleep(lookMs)
  return box.control
}

async function makeBox(
  options: BoxesOptions,
  wish: BoxWish,
  add: Add,
): Promise<{ readonly box: OpenBox; readonly opened: OpenedBox }> {
  const { settings, config, newId } = options
  const place = await options.readPlace(wish.runId)
  const held = await options.held()
  const level = requireBox(held, [
    ...place.minIsolations,
    { level: config.minIsolation, by: '`jobs.minIsolation` of `config.json`' },
  ])
  if (place.workspace === null) throw new JobFault('InvalidInput', 'the run has no workspace')
  const { workspace } = place
  const plan = planBox(settings, wish, { workspace, network: config.network })
  const files = filesOfFamily(place.family)
  const id = `box_${newId()}`
  const folder = join(settings.folder, id)
  const placeholders = planPlaceholders(plan.places)
  let cgroups: readonly string[] = []
  try {
    mkdirSync(join(folder, doorName), { recursive: true, mode: 0o700 })
    cgroups = groupsFor(held, id)
    const note: BoxNote = {
      ...{ id, runId: wish.runId, host: wish.host, workspace: plan.workspace, cgroups },
      ...{ program: wish.program[0] ?? '', startedAt: settings.now() },
      ...{ destinations: plan.destinations, placeholders },
    }
    // INVARIANT: what is made in the workspace is noted before, so that the next daemon removes it.
    writeBoxNote(folder, note)
    makePlaceholders(placeholders)
    openFolders(plan.workspace, files)
    for (const [name, text] of Object.entries(wish.files)) {
      writeFileSync(join(folder, doorName, name), text, { mode: 0o600 })
    }
    mkdirSync(join(folder, doorName, insteadName), { mode: 0o700 })
    writeDeniedCover(join(folder, doorName, deniedCoverName))
    for (const [i, { text }] of wish.settingsFiles.entries()) {
      writeFileSync(join(folder, doorName, insteadName, String(i)), text, { mode: 0o600 })
    }
    const box = await add(note, folder, files, 'sure')
    const words = plan.words({ folder, files, cgroups })
    const opened = { id, helper: held.helper, words, level, mode: files.mode, notes: notesOf(held) }
    return { box, opened }
  } catch (fault) {
    letGroupsGo(cgroups)
    removeBox(folder, placeholders)
    throw fault
  }
}

function groupsFor({ means: { groups } }: HeldJob, id: string): readonly string[] {
  return groups === null ? [] : groups.make(`pawl-${id}`)
}

function notesOf({ means }: HeldJob): readonly string[] {
  return means.groups === null
    ? ['no control group is writable: memory and processes are limited one by one']
    : []
}

const howToAllow = [
  'On Ubuntu 24.04 and later, allow user namespaces for the helper with an AppArmor profile,',
  'or run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`. On Debian, run',
  '`sudo sysctl kernel.unprivileged_userns_clone=1`. In a container, start it with',
  '`--security-opt seccomp=unconfined`, or run Pawl on the host.',
].join(' ')

/** WHY never less: a session that is said to be in a box and is not would be trusted. */
function requireBox({ means }: HeldJob, wanted: readonly MinIsolation[]): OpenedBox['level'] {
  const level = levelOf(means)
  const recovery = [{ action: 'allow_namespaces', description: howToAllow }]
  if (means.mechanism?.kind !== 'spaces') {
    const what = `this machine has no boxes: ${means.notes.join('; ') || 'it has no namespaces'}`
    throw new JobFault('SpawnFailed', what, { recovery, context: { level } })
  }
  const missed = wanted.find((one) => rank(level) > rank(one.level))
  if (missed === undefined) return level
  const wants = `${missed.by} requires the isolation \`${missed.level}\``
  const what = `${wants}, but this machine has \`${level}\``
  throw new JobFault('SpawnFailed', what, { context: { level } })
}

type RecoverMeans = {
  readonly add: Add
  readonly attach: (box: OpenBox) => Promise<boolean>
  readonly end: (box: OpenBox) => Promise<void>
  readonly settleMeans: (box: OpenBox) => SettleMeans
}

async function recoverBoxes(
  options: BoxesOptions,
  means: RecoverMeans,
): Promise<readonly string[]> {
  const { settings, readPlace, log } = options
  const found: string[] = []
  for (const folder of boxFolders(settings.folder)) {
    const note = readBoxNote(folder)
    if (note === null) {
      removeBox(folder, [])
      continue
    }
    try {
      const { family } = await readPlace(note.runId)
      const box = await means.add(note, folder, filesOfFamily(family), 'unsure')
      if (await means.attach(box)) await takeOver(options, box, means.settleMeans(box))
      else {
        await means.end(box)
        found.push(
          `the session of run \`${note.runId}\` in a box ended while no daemon was running`,
        )
      }
    } catch (fault) {
      log('warning', 'a box could not be taken over', { box: note.id, fault: String(fault) })
    }
  }
  return found
}

/** WHY sockets after files: as long as nobody knows how these are, every call is denied. */
async function takeOver(options: BoxesOptions, box: OpenBox, means: SettleMeans): Promise<void> {
  const { isOpen } = means
  const serve = async () => (isOpen() ? serveBox(options, box, isOpen) : undefined)
  if ((await settleOnce(box, means)) === null) return serve()
  // The daemon starts meanwhile.
  void settle(box, means)
    .then(serve)
    .catch((fault: unknown) => {
      const about = { box: box.note.id, fault: String(fault) }
      options.log('warning', 'a box could not be taken over', about)
    })
}
