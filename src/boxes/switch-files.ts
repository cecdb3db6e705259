/**
 * How the files of a box are set: one change at a time, as its run moves, and again for as long as
 * nobody knows how they are. Decides nothing about runs.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSameStageFiles, type StageFiles } from '../core/engine/stage-files.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { isPathInside } from '../runner/job-workspace.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { BoxControl } from './box-control.ts'
import type { BoxNote } from './box-folder.ts'

/** A box as far as its files go. */
export type SwitchedBox = {
  readonly note: BoxNote
  files: StageFiles
  /** Whether `files` is how they are: not before a new daemon, or after a fault. */
  isSure: boolean
  /** Whether `files` is what was asked for last, and no longer what the box began with. */
  isFollowed: boolean
  /** Null: it was not started yet. */
  control: BoxControl | null
  /** The change of files that was asked for last: one at a time. */
  last: Promise<unknown>
  /** As long as files are tried to be set. */
  settling: Promise<void> | null
}

export type SettleMeans = {
  /** As the stored run says. */
  readonly read: () => Promise<StageFiles>
  readonly isOpen: () => boolean
  readonly log: LogLine
  readonly retryMs?: number
}

const retryMsUsual = 2_000

/** Runs one change after the other. */
export function inTurn<Result>(box: SwitchedBox, change: () => Promise<Result>): Promise<Result> {
  const done = box.last.then(change)
  box.last = done.catch(() => undefined)
  return done
}

/** Fault `FILES_IN_USE`: somebody writes, or the box does not do it. */
export async function switchTo(box: SwitchedBox, wanted: StageFiles): Promise<void> {
  const folders = openFolders(box.note.workspace, wanted)
  const words = ['mode', wanted.mode, ...folders, '--', ...wanted.programsDenied]
  const answer = await box.control?.ask(words)
  if (answer === undefined || answer.kind === 'ok') {
    box.files = wanted
    box.isSure = true
    box.isFollowed = true
    return
  }
  if (answer.kind !== 'busy') {
    box.isSure = false
    const why = answer.kind === 'fault' ? answer.why : 'it answered something else'
    const message = `the files of the box cannot be changed to \`${wanted.mode}\`: ${why}`
    throw new PawlError('FILES_IN_USE', message, { hint: 'end the session, and start it again' })
  }
  const who = answer.holders.slice(0, 5).map((line) => {
    const [pid, name, path] = line.split('\t')
    return `\`${name}\` (process ${pid}) has \`${path}\` open for writing`
  })
  const message =
    `the next stage allows \`${wanted.mode}\` only, but ` +
    (who.length === 0 ? 'something still writes to the workspace' : who.join(', '))
  throw new PawlError('FILES_IN_USE', message, { hint: 'end it, then send the signal again' })
}

/**
 * Sets the files once; null: done, or else why not.
 * INVARIANT: what a move has asked for is never undone. The stored run may be behind it, because
 * files are set before a move is stored.
 */
export function settleOnce(box: SwitchedBox, { read }: Pick<SettleMeans, 'read'>) {
  return inTurn(box, async (): Promise<unknown> => {
    if (box.isSure && box.isFollowed) return null
    try {
      const wanted = box.isFollowed ? box.files : await read()
      if (!box.isSure || !isSameStageFiles(wanted, box.files)) await switchTo(box, wanted)
      return null
    } catch (fault) {
      return fault
    }
  })
}

/** Tries again until it is done: till then, files may be open in a stage that closes them. */
export function settle(box: SwitchedBox, means: SettleMeans): Promise<void> {
  // WHY only one: a box that is held still loses its line again and again.
  box.settling ??= settleUntilDone(box, means).finally(() => {
    box.settling = null
  })
  return box.settling
}

async function settleUntilDone(box: SwitchedBox, means: SettleMeans): Promise<void> {
  const { isOpen, log, retryMs = retryMsUsual } = means
  for (let tries = 0; isOpen(); tries += 1) {
    const fault = await settleOnce(box, means)
    if (fault === null) return
    const about = { box: box.note.id, fault: String(fault) }
    if (tries === 0) log('warning', 'the files of a box could not be set yet', about)
    await sleep(retryMs, undefined, { ref: false })
  }
}

/** After a line was lost: what was asked last may be done late. */
export function settleAgain(box: SwitchedBox, means: SettleMeans): Promise<void> {
  box.isSure = false
  return settle(box, means)
}

/**
 * Folders that may be written to, which are made where they are missing. WHY none by a link: code
 * in the box could have made it, to what another stage closes; the helper looks again.
 */
export function openFolders(workspace: string, { mode, folders }: StageFiles): readonly string[] {
  if (mode !== 'write') return []
  return folders.map((name) => {
    const path = resolve(workspace, name)
    if (isPathInside(workspace, path) && isDirect(path)) {
      mkdirSync(path, { recursive: true })
      return path
    }
    const hint = 'name the folder itself in `paths.write`, or replace the link'
    throw new PawlError('FILES_IN_USE', `the folder \`${name}\` leads elsewhere`, { hint })
  })
}

/** Whether no link is on the way, as far as there is one. */
function isDirect(path: string): boolean {
  try {
    return realpathSync(path) === path
  } catch {
    const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined
    return isMissing && isDirect(dirname(path))
  }
}
