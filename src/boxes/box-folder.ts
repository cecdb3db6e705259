/** The folder of a box: what it is, for a later daemon, and what stands in the workspace for it. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type AgentHostId, fromAgentHosts } from '../core/hosts/registry.ts'
import type { Destination } from '../runner/destinations.ts'
import { errorCodeOf } from '../runtime/error-code.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'

/** Stands where a guide is not, so that none can be put there. Null: an empty folder. */
export type Placeholder = { readonly path: string; readonly text: string | null }

export type BoxNote = {
  readonly id: string
  readonly runId: string
  readonly host: AgentHostId | null
  readonly workspace: string
  readonly program: string
  readonly startedAt: number
  /** Null: no network at all. */
  readonly destinations: readonly Destination[] | null
  readonly placeholders: readonly Placeholder[]
  readonly cgroups: readonly string[]
}

const noteName = 'box.json'

/** Visible in the box as `/run/pawl`. */
export const doorName = 'door'
/** Where the box has it. */
export const doorInBox = '/run/pawl'

export function writeBoxNote(folder: string, note: BoxNote): void {
  writeFileSync(join(folder, noteName), JSON.stringify(note), { mode: 0o600 })
}

export function readBoxNote(folder: string): BoxNote | null {
  try {
    return JSON.parse(readFileSync(join(folder, noteName), 'utf8')) as BoxNote
  } catch {
    // It was never whole: its daemon died while it was made.
    return null
  }
}

export function boxFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    // There has been no box yet.
    return []
  }
}

/**
 * What is missing of these paths, the outer ones first; makes nothing. Fault `InvalidInput`: a link
 * or a file is in the way, which code in the box could replace.
 */
export function planPlaceholders(guides: readonly Placeholder[]): readonly Placeholder[] {
  const missing = new Map<string, Placeholder>()
  for (const guide of guides) {
    const { path } = guide
    let one = path
    for (; statusOf(one) === undefined; one = dirname(one)) {
      missing.set(one, one === path ? guide : { path: one, text: null })
    }
    if (realpathOf(one) !== one) {
      throw new JobFault('InvalidInput', `a box cannot protect \`${path}\`: a link is in the way`)
    }
    if (one !== path && statusOf(one)?.isDirectory() !== true) {
      const what = `a box cannot protect \`${path}\`: \`${one}\` is no folder`
      throw new JobFault('InvalidInput', what)
    }
  }
  return [...missing.values()].sort((one, two) => one.path.length - two.path.length)
}

/** WHY not by `existsSync`: a link that leads nowhere is there. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (fault) {
    // Below a file, and below a link in a circle, there is nothing.
    if (['ENOTDIR', 'ELOOP'].includes(errorCodeOf(fault))) return undefined
    throw fault
  }
}

function realpathOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    // It leads nowhere, or in a circle.
    return null
  }
}

/**
 * Programs fail on folders of these names; with these texts they work as if they were not there.
 */
const texts: readonly (readonly [string, string])[] = [
  ...fromAgentHosts(({ box }) => box.emptyFiles).map((name) => [name, ''] as const),
]

/** What stands for a guide in a workspace. Git does not see empty folders. */
export function guideInWorkspace(path: string): Placeholder {
  return { path, text: texts.find(([name]) => path.endsWith(`/${name}`))?.[1] ?? null }
}

/** What stands for a guide in the home, where hosts fail on a folder in place of a file. */
export function guideInHome(path: string): Placeholder {
  const name = basename(path)
  if (!name.includes('.')) return { path, text: null }
  return { path, text: name.endsWith('.json') ? '{}\n' : '' }
}

export function makePlaceholders(placeholders: readonly Placeholder[]): void {
  for (const { path, text } of placeholders) {
    try {
      if (text === null) mkdirSync(path, { mode: 0o755 })
      else writeFileSync(path, text, { flag: 'wx', mode: 0o644 })
    } catch (fault) {
      // Another box in the workspace was quicker.
      if (errorCodeOf(fault) !== 'EEXIST') throw fault
    }
  }
}

type RemoveBox = (
  folder: string,
  placeholders: readonly Placeholder[],
  which: 'last' | 'one of several',
) => void

/**
 * Removes boxes, and placeholders only with the last of them: what another box has mounted would
 * come off there when it is removed outside.
 */
export function openBoxRemoval(): RemoveBox {
  let left: readonly Placeholder[] = []
  return (folder, placeholders, which) => {
    const all = [...left, ...placeholders]
    left = which === 'last' ? [] : all
    removeBox(folder, which === 'last' ? all : [])
  }
}

/** Removes what is as it was made: whatever else is there is somebody's. */
export function removeBox(folder: string, placeholders: readonly Placeholder[]): void {
  for (const { path, text } of placeholders.toReversed()) {
    try {
      if (text === null) rmdirSync(path)
      else if (readFileSync(path, 'utf8') === text) unlinkSync(path)
    } catch {
      // Somebody has put something into it, or has removed it.
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
