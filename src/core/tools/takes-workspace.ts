/**
 * Whether what a command removes or moves is the whole workspace: the folder itself, one above it,
 * or a wildcard that finds either. Knows words of commands. Must not know protected files.
 */
import { normalisePath } from '../expr/glob.ts'
import { seenFrom } from '../shell/leaves-workspace.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { known } from './command-operands.ts'

type Place = { readonly reading: GoodReading; readonly workspace: string }

/** `path`: an operand of the command, as it is written. */
export function takesWorkspace(path: string, { dirs }: SimpleCommand, place: Place): boolean {
  if (/^~(?:\/\**)?$/.test(path)) return true
  return known(seenFrom(dirs, path)).some((one) => {
    return /[*?[]/.test(one) ? mayFindIt(one, place) : isAround(one, place.workspace)
  })
}

/** Whether it is the workspace, or a folder above it. */
function isAround(path: string, workspace: string): boolean {
  return normalisePath(workspace, absolute(path, workspace)) !== null
}

function absolute(path: string, workspace: string): string {
  return path.startsWith('/') || path.startsWith('~') ? path : `${workspace}/${path}`
}

/** Of a pattern only the beginning is compared: what it finds must not be the way to here. */
function mayFindIt(pattern: string, { workspace, reading }: Place): boolean {
  const [before = ''] = pattern.split(/[*?[]/, 1)
  const at = before.lastIndexOf('/') + 1
  const folder = absolute(before.slice(0, at) || '.', workspace)
  const way = normalisePath(workspace, folder)
  if (way === null) return false
  // In the workspace itself a wildcard spares names with a dot in front, where settings are.
  return way === '.' ? findsDots(reading) : way.startsWith(before.slice(at))
}

function findsDots({ commands, variablesWritten }: GoodReading): boolean {
  const isSet = commands.some(({ words: [name, ...rest] }) => {
    return name === 'shopt' && rest.some((word) => word === null || word === 'dotglob')
  })
  return isSet || variablesWritten.includes('GLOBIGNORE')
}
