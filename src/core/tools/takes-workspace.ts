/**
 * Whether what a command removes or moves is the whole workspace: the folder itself, one above it,
 * or a wildcard that finds either. Knows words of commands. Must not know protected files.
 */
import { globCharsMax, matchesGlob, normalisePath } from '../expr/glob.ts'
import { seenFrom } from '../shell/leaves-workspace.ts'
import { programArguments } from '../shell/read-arguments.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { known, programOf } from './command-operands.ts'

type Place = { readonly reading: GoodReading; readonly workspace: string }

/** The first command that could remove or move the whole workspace; null: none does. */
export function workspaceRemover(reading: GoodReading, workspace: string): string | null {
  const place = { reading, workspace }
  const found = reading.commands.find((command) => {
    return removedBy(command).some((path) => takesWorkspace(path, command, place))
  })
  return found?.text ?? null
}

const removers = /^(?:rm|mv|zip|tar|7z.?|rsync)$/

/** The operands that are gone once the command has run. */
function removedBy(command: SimpleCommand): readonly string[] {
  const program = programOf(command)
  const found = removers.test(program) ? programArguments(command) : null
  if (found === null) return []
  const { options } = found
  const paths = known(found.operands.map(({ value, start }) => (value === null ? null : start)))
  const hasWord = (pattern: RegExp) => command.words.some((word) => pattern.test(word ?? ''))
  if (program === 'rm') return paths
  if (program === 'mv') {
    const isTargetFirst = options.some(({ name }) => /^(?:t|target-directory)$/.test(name))
    return isTargetFirst ? paths : paths.slice(0, -1)
  }
  // What its target has and its source has not is deleted.
  if (program === 'rsync') return hasWord(/^--del/) ? paths.slice(-1) : []
  if (!options.some(({ kind }) => kind === 'writes') && !hasWord(/^-sdel$/)) return []
  const folders = known(options.map(({ kind, value }) => (kind === 'dir' ? value : null)))
  return [...paths, ...paths.flatMap((path) => known(seenFrom(folders, path)))]
}

/** `path`: an operand of the command, as it is written. */
export function takesWorkspace(path: string, { dirs }: SimpleCommand, place: Place): boolean {
  return known(seenFrom(dirs, path)).some((one) => {
    return placesOf(one, place.workspace).some((whole) => reaches(whole, place))
  })
}

/** The absolute paths that a path may be. A home may be any folder above the workspace. */
function placesOf(path: string, workspace: string): readonly string[] {
  const inside = path.replace(/^~\+/, '.')
  if (/^~(?:\/|$)/.test(inside)) return above(workspace).map((home) => home + inside.slice(1))
  return [inside.startsWith('/') ? inside : `${workspace}/${inside}`]
}

/** The workspace and every folder above it, without a slash at the end. */
function above(workspace: string): readonly string[] {
  const parts = workspace.split('/').filter((part) => part !== '')
  return ['', ...parts].map((_, i) =>
    parts
      .slice(0, i)
      .map((part) => `/${part}`)
      .join(''),
  )
}

/** Whether it is or finds the workspace, a folder above it, or all that is in it. */
function reaches(path: string, { workspace, reading }: Place): boolean {
  const wild = path.split('/').findIndex((part) => /[*?[]/.test(part))
  // What is above a folder that a wildcard finds could be anything.
  if (wild >= 0 && (path.split('/').includes('..', wild) || path.length > globCharsMax)) return true
  // Upper and lower case are one to some file systems.
  const written = wild < 0 ? path : path.replaceAll(bracket, '?')
  const pattern = normalisePath(written.toLowerCase(), '/')
  if (pattern === null) return false
  if (pattern === '.') return true
  const folders = above(workspace.toLowerCase()).slice(1)
  if (folders.some((folder) => matchesGlob(pattern, folder.slice(1)))) return true
  const parts = pattern.split('/')
  const begin = parts.slice(0, folders.length).join('/')
  const isInside = begin === '' || matchesGlob(begin, folders.at(-1)?.slice(1) ?? '')
  // In the workspace itself a wildcard spares names with a dot in front, where settings are.
  return isInside && /[*?]/.test(parts[folders.length] ?? '') && findsDots(reading)
}

/** `[a-z]`, `[[:alpha:]]`: one letter. */
const bracket = /\[[!^]?\]?(?:\[:\w+:\]|[^\]/])*\]|\[/g

const dotsKnown = new WeakMap<GoodReading, boolean>()

function findsDots(reading: GoodReading): boolean {
  const isFound = dotsKnown.get(reading) ?? mentionsDots(reading)
  dotsKnown.set(reading, isFound)
  return isFound
}

/** Whether an option of a shell may let wildcards find names that begin with a dot, too. */
function mentionsDots({ commands, text, variablesWritten }: GoodReading): boolean {
  const pattern = /dot_?glob|glob_?dots|GLOBIGNORE|BASHOPTS/i
  if (pattern.test(text) || variablesWritten.some((name) => pattern.test(name))) return true
  return commands.some(({ words: [name, ...rest] }) => {
    const isHidden = /^(?:shopt|setopt)$/.test(name ?? '') && rest.includes(null)
    return isHidden || rest.some((word) => pattern.test(word ?? ''))
  })
}
