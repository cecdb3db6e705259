/**
 * What git has of a workspace: where the repository of a linked work tree is, and what of it stays
 * as it is, because programs outside of the box run what it says. Makes nothing.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isPathInside } from '../runner/job-workspace.ts'
import { workTreeOf, workTreesIn } from '../runtime/sessions/repository.ts'
import type { Placeholder } from './box-folder.ts'

type GitPlaces = {
  /** The repository of a linked work tree, which is open as the workspace is; null: none. */
  readonly record: string | null
  readonly guides: readonly Placeholder[]
}

const none: GitPlaces = { record: null, guides: [] }
const modulesMax = 100
const levelsMax = 6

export function gitPlacesOf(workspace: string): GitPlaces {
  const tree = workTreeOf(workspace)
  if (tree === null || tree.root !== workspace) return none
  const { commonDir } = tree
  const shared = guidesIn(commonDir)
  const modules = modulesIn(join(commonDir, 'modules'), levelsMax).slice(0, modulesMax)
  const around = [...shared, ...modules.flatMap((one) => guidesIn(one))]
  if (isPathInside(workspace, commonDir)) {
    return { record: null, guides: [...around, ...foldersOf(join(commonDir, 'worktrees'))] }
  }
  // INVARIANT: only what git lists; a `.git` file can name any folder, and code could write one.
  const isListed = workTreesIn(commonDir).includes(workspace) && isRepository(commonDir)
  const dotGit = { path: join(workspace, '.git'), text: '' }
  if (!isListed) return { record: null, guides: [dotGit] }
  const trees = foldersOf(join(commonDir, 'worktrees')).flatMap((one) =>
    isTreeOf(one.path, dotGit.path) ? guidesIn(one.path, ownNames) : [one],
  )
  return { record: commonDir, guides: [dotGit, ...around, ...trees] }
}

function isRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

function isTreeOf(folder: string, dotGit: string): boolean {
  try {
    return readFileSync(join(folder, 'gitdir'), 'utf8').trim() === dotGit
  } catch {
    // Not whole: it belongs to no work tree.
    return false
  }
}

/** Git fails on folders of these names; with these texts it works as if they were not there. */
const texts: Readonly<Record<string, string>> = { 'config.worktree': '', commondir: '.\n' }
const repositoryNames = ['hooks', 'config', 'config.worktree', 'commondir']
const ownNames = ['config.worktree', 'commondir', 'gitdir']

function guidesIn(folder: string, names = repositoryNames): readonly Placeholder[] {
  return names.map((name) => ({ path: join(folder, name), text: texts[name] ?? null }))
}

function foldersOf(folder: string): readonly Placeholder[] {
  return namesIn(folder)
    .map((name) => ({ path: join(folder, name), text: null }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
}

/** Repositories of submodules, whose names may have several parts. */
function modulesIn(folder: string, levels: number): readonly string[] {
  if (levels === 0) return []
  return foldersOf(folder).flatMap(({ path }) => {
    if (!isRepository(path)) return modulesIn(path, levels - 1)
    return [path, ...modulesIn(join(path, 'modules'), levels - 1)]
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, modulesMax)
  } catch {
    // It has none.
    return []
  }
}
