/**
 * What a job sees of a home: nothing but programs that people have installed there, and what a
 * person lists. WHY a list of what is visible: nobody knows every place where a secret is.
 * Knows names. Must not know how the rest is covered.
 */
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isPathInside, systemFolders } from './job-workspace.ts'

/** Where version managers and languages put programs; accounts are kept elsewhere. */
const toolFolders = [
  ...['.nvm', '.volta', '.fnm', '.asdf', '.pyenv', '.rbenv', '.nodenv', '.goenv', '.jenv'],
  ...['.sdkman', '.rustup', '.bun', '.deno', '.dotnet', '.ghcup', '.opam', '.juliaup', '.swiftly'],
  ...['.cargo/bin', '.cargo/registry', '.cargo/git', '.cabal/bin', '.gem/ruby', '.m2/repository'],
  ...['.gradle/wrapper', '.npm-global', '.npm-packages', '.yarn', '.linuxbrew', '.nix-profile'],
  ...['go/bin', 'go/pkg', 'bin', '.local/bin', '.local/lib', '.local/share/mise'],
  ...['.local/share/fnm', '.local/share/nvm', '.local/share/pnpm', '.local/share/uv'],
  ...['.local/share/pipx', '.local/state/nix'],
]

/** Where homes are, whoever they belong to. */
const homeParents = ['/home', '/root', '/Users']

const scratchFolders = ['/tmp', '/var/tmp', '/dev/shm']

export type ListedHome = {
  /** Homes of the user: as the password file says, and as the environment does. */
  readonly userFolders: readonly string[]
  /** What a person lists: absolute, or below a home. */
  readonly homePaths: readonly string[]
  /** Where programs are looked for. */
  readonly path: string
}

/** `covered`: folders that are empty in a box; `kept`: what is there all the same, read-only. */
export type VisibleHome = {
  readonly covered: readonly string[]
  readonly kept: readonly string[]
}

export function visibleHome({ userFolders, homePaths, path }: ListedHome): VisibleHome {
  const covered = unique([...homeParents, ...userFolders].flatMap(realFolder))
    .filter((folder) => !isNeeded(folder))
    .sort((one, two) => one.length - two.length)
  const named = userFolders.flatMap((home) =>
    [...toolFolders, ...homePaths].filter((name) => !isAbsolute(name)).map((n) => join(home, n)),
  )
  const kept = [...named, ...homePaths.filter(isAbsolute), ...programFolders(path, covered)]
  // WHY: what is listed may lie where a job has folders of its own, as `/tmp` is.
  const places = [...covered, ...scratchFolders]
  return {
    covered,
    kept: [...new Set(kept.filter((one) => isThere(one) && isBelowOne(places, one)))].sort(
      (one, two) => one.length - two.length,
    ),
  }
}

/** WHY: what covers `/` or `/usr` leaves no program to run, and `/tmp` is a job's own already. */
function isNeeded(folder: string): boolean {
  return [...systemFolders, ...scratchFolders].some((one) => isPathInside(folder, one))
}

/** Folders of the PATH in a home, each with what its programs need beside it. */
function programFolders(path: string, covered: readonly string[]): readonly string[] {
  return path
    .split(':')
    .filter((one) => isAbsolute(one) && isBelowOne(covered, one))
    .flatMap((one) => {
      const parent = dirname(one)
      if (basename(one) === '.bin') return [parent]
      // `~/.nvm/versions/node/v24/bin` has its libraries beside it; `~/.local` has keys in it.
      return basename(one) === 'bin' && depthIn(covered, parent) > 2 ? [parent] : [one]
    })
}

/** How many folders below the innermost covered one. */
function depthIn(covered: readonly string[], path: string): number {
  const depths = covered
    .filter((one) => isPathInside(one, path))
    .map((one) => relative(one, path).split(sep).filter(Boolean).length)
  return Math.min(...depths)
}

/** Whether it lies in one of the folders, and is none of them. */
function isBelowOne(folders: readonly string[], path: string): boolean {
  const real = realPath(path)
  if (real === null || folders.includes(real)) return false
  return folders.some((one) => isPathInside(one, path) || isPathInside(one, real))
}

function realFolder(path: string): readonly string[] {
  const real = realPath(path)
  return real !== null && statSync(real).isDirectory() ? [real] : []
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    // Not there, or not to be seen: then a job does not see it either.
    return null
  }
}

function isThere(path: string): boolean {
  return realPath(path) !== null
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)]
}
