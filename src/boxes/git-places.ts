/**
 * What git has of a workspace: where the repository of a linked work tree is, and what of it stays
 * as it is, because programs outside of the box run what it says. Makes nothing.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isPathInside } from '../runner/job-workspace.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { workTreeOf, workTreesIn } from '../runtime/sessions/repository.ts'
import type { Placeholder } from './box-folder.ts'

type GitPlaces = {
  /** The repository of a linked work tree, which is open as the workspace is; null: none. */
  readonly record: string | null
  readonly guides: readonly Placeholder[]
}

/** Repositories of submodules, and folders that are looked through for them. */
const modulesMax = 100
const foldersMax = 2_000
const treesMax = 200
const levelsMax = 6

/** Fault `ResourceExhausted`: there is more than can be kept as it is. */
export function gitPlacesOf(workspace: string): GitPlaces {
  const tree = workTreeOf(workspace)
  const dotGit = { path: join(workspace, '.git'), text: null }
  // WHY also where there is none: code could make one, whose hooks somebody else would run.
  if (tree === null || tree.root !== workspace) return { record: null, guides: [dotGit] }
  const { commonDir } = tree
  if (isPathInside(workspace, commonDir)) {
    const own = commonDir === dotGit.path ? [] : [dotGit]
    const trees = foldersOf(join(commonDir, 'worktrees'), treesMax)
    return { record: null, guides: [...own, ...guidesAround(commonDir), ...trees] }
  }
  // INVARIANT: only what git lists; a `.git` file can name any folder, and code could write one.
  const listed = workTreesIn(commonDir)
  const isListed = listed.includes(workspace) && isRepository(commonDir)
  // Its repository cannot be shown without other work trees that are in it.
  const isAround = listed.some((one) => isPathInside(commonDir, one))
  if (!isListed || isAround) return { record: null, guides: [dotGit] }
  const around = guidesAround(commonDir)
  const trees = foldersOf(join(commonDir, 'worktrees'), treesMax).flatMap((one) =>
    isTreeOf(one.path, dotGit.path) ? guidesIn(one.path, ownNames) : [one],
  )
  return { record: commonDir, guides: [dotGit, ...around, ...trees] }
}

function isRepository(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}

function isTreeOf(folder: string, dotGit: string): boolean {
  try {
    return resolve(folder, readFileSync(join(folder, 'gitdir'), 'utf8').trim()) === dotGit
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

function foldersOf(folder: string, countMax: number): readonly Placeholder[] {
  const names = namesIn(folder)
  if (names.length > countMax) refuseMore(folder, `has more than ${countMax} entries`)
  return names
    .map((name) => ({ path: join(folder, name), text: null }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
}

/** WHY never less than all: what is left out could be changed by code in the box. */
function refuseMore(folder: string, what: string): never {
  throw new JobFault('ResourceExhausted', `\`${folder}\` ${what}, which is too much for a box`)
}

function guidesAround(commonDir: string): readonly Placeholder[] {
  const modules = modulesIn(join(commonDir, 'modules'))
  return [...guidesIn(commonDir), ...modules.flatMap((one) => guidesIn(one))]
}

/** Repositories of submodules, whose names may have several parts. */
function modulesIn(folder: string): readonly string[] {
  const found: string[] = []
  let open = [folder]
  let looked = 0
  for (let level = 0; level < levelsMax && open.length > 0; level += 1) {
    open = open.flatMap((one) => {
      const inside = foldersOf(one, foldersMax).map(({ path }) => path)
      looked += inside.length
      if (looked > foldersMax) refuseMore(folder, `has more than ${foldersMax} entries`)
      const modules = inside.filter(isRepository)
      found.push(...modules)
      return inside.map((path) => (modules.includes(path) ? join(path, 'modules') : path))
    })
    if (found.length > modulesMax) refuseMore(folder, `has more than ${modulesMax} entries`)
  }
  const isDeeper = open.some((one) => namesIn(one).length > 0)
  if (isDeeper) refuseMore(folder, `is more than ${levelsMax} folders deep`)
  return found
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // It has none.
    return []
  }
}
