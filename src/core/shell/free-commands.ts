/**
 * Commands that need no entry on any list, because nothing is done by them: they say something,
 * filter what a pipe brings, or go where the command already stands.
 * Strict: a word that is only known when it runs, or that stands for files, makes it a command
 * like any other.
 */
import { normalisePath } from '../expr/glob.ts'
import { isPipedFilter } from './reading-forms.ts'
import type { SimpleCommand } from './shell-reading.ts'

/** Whether a command needs no entry. */
export function isFreeCommand(command: SimpleCommand, workspace: string | null): boolean {
  const { words, assigns, stdin } = command
  if (assigns.length > 0) return false
  switch (words[0]) {
    case 'echo':
      return isPlainEcho(command)
    case 'pwd':
      return words.slice(1).every((word) => word === '-P' || word === '-L')
    case 'cd':
      return goesHome(command, workspace)
    case 'cat':
      // It only says what the text itself hands it: how agents write long messages.
      return (words.length === 1 && stdin !== null) || isPipedFilter(command)
    default:
      return isPipedFilter(command)
  }
}

/** Nothing in it is expanded but how the last command ended: `echo "exit $?"`. */
function isPlainEcho({ text, wild }: SimpleCommand): boolean {
  return !wild.includes(true) && !/[$`]|[<>]\(|\}[<>]/.test(text.replaceAll('$?', ''))
}

/**
 * `cd` into the workspace itself. WHY no folder inside it: `npm test` runs other code there than
 * the one the author thought of, and a folder may be a link.
 */
function goesHome({ words, wild, dirs }: SimpleCommand, workspace: string | null): boolean {
  const [, target, ...more] = words
  if (workspace === null || typeof target !== 'string' || more.length > 0) return false
  if (wild.includes(true) || !target.startsWith('/') || target.includes('..')) return false
  return dirs.every((dir) => dir !== null) && normalisePath(target, workspace) === '.'
}
