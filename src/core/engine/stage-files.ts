/**
 * How the files of a workspace are open to a session in a box: as its stage says, or as follows
 * from the tools of the stage. Pure; who opens and closes them is elsewhere.
 */
import { own } from '../json.ts'
import type { Stage, ToolRule } from '../machine/machine.ts'
import { commonToolOf } from '../tools/tool-names.ts'
import { type Family, type FamilyMember, mainOf, openLeaf } from './family.ts'
import { hasEnded, isFreed } from './is-running.ts'

/** From the least to the most. */
export const fileModes = ['read', 'scratch', 'write'] as const
export type FileMode = (typeof fileModes)[number]

export type StageFiles = {
  readonly mode: FileMode
  /** Writing is limited to these folders, seen from the workspace; empty: to none in particular. */
  readonly folders: readonly string[]
  /** Names of programs that cannot be started. */
  readonly programsDenied: readonly string[]
}

const editing: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write'])
const running: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'Monitor'])

/** How files are open while a run stands where it does; of open branches the most open counts. */
export function filesOfFamily(family: Family): StageFiles {
  const branches = family.members.filter(
    ({ parentId, state }) =>
      parentId === family.mainId && state.branch !== null && !hasEnded(state),
  )
  const leaves = (branches.length > 0 ? branches : [mainOf(family)]).map((one) =>
    openLeaf(family, one),
  )
  return leaves.map(filesOfMember).reduce(moreOpen)
}

/** Whether files are open alike while a run stands in one place and in the other. */
export function isSameFiles(one: Family, two: Family): boolean {
  return isSameStageFiles(filesOfFamily(one), filesOfFamily(two))
}

export function isSameStageFiles(one: StageFiles, two: StageFiles): boolean {
  const lists = ({ folders, programsDenied }: StageFiles): string =>
    [folders, programsDenied].map((list) => list.join('\0')).join('\0\0')
  return one.mode === two.mode && lists(one) === lists(two)
}

/** Of two places of one run, the one in which less is open. */
export function stricterFamily(one: Family, two: Family): Family {
  const [a, b] = [filesOfFamily(one), filesOfFamily(two)]
  const rank = ({ mode, folders }: StageFiles): number =>
    2 * fileModes.indexOf(mode) + (folders.length === 0 ? 1 : 0)
  return rank(a) <= rank(b) ? one : two
}

function filesOfMember({ machine, state }: FamilyMember): StageFiles {
  const stage = own(machine.stages, state.stage)
  const files = stage === undefined ? closed : filesOfStage(stage)
  if (hasEnded(state)) return isFreed(machine, state) ? open : { ...files, ...closedFiles }
  return state.pause?.release === true ? open : files
}

const open: StageFiles = { mode: 'write', folders: [], programsDenied: [] }
const closedFiles = { mode: 'read', folders: [] } as const
const closed: StageFiles = { ...closedFiles, programsDenied: [] }

/** May edit: write. May run commands and not edit: scratch. Neither: read. */
export function filesOfStage({ rule }: Pick<Stage, 'rule'>): StageFiles {
  const { files, writeFolders = [], tools, programsDenied = [] } = rule
  const mode =
    files ?? (allows(tools, editing) ? 'write' : allows(tools, running) ? 'scratch' : 'read')
  return { mode, folders: mode === 'write' ? writeFolders : [], programsDenied }
}

function allows({ allow, deny, among }: ToolRule, names: ReadonlySet<string>): boolean {
  const isOne = (name: string): boolean => names.has(commonToolOf(name) ?? name)
  const isDenied = [...names].every((name) =>
    deny.some((one) => (commonToolOf(one) ?? one) === name),
  )
  if (isDenied || deny.includes('*')) return false
  if (allow === 'all' || allow.includes('*')) return true
  // A rule that speaks of some tools only leaves the others as they are.
  if (among !== null) return ![...names].every((name) => among.some((one) => name.startsWith(one)))
  return allow.some((name) => isOne(name) && !deny.includes(name))
}

function moreOpen(one: StageFiles, two: StageFiles): StageFiles {
  const programsDenied = one.programsDenied.filter((name) => two.programsDenied.includes(name))
  return { ...moreOpenFiles(one, two), programsDenied }
}

function moreOpenFiles(one: StageFiles, two: StageFiles): StageFiles {
  const [a, b] = [fileModes.indexOf(one.mode), fileModes.indexOf(two.mode)]
  if (a !== b) return a > b ? one : two
  if (one.folders.length === 0 || two.folders.length === 0) return { ...one, folders: [] }
  return { ...one, folders: [...new Set([...one.folders, ...two.folders])] }
}
