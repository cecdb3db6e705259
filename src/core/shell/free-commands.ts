/**
 * Commands that need no entry on any list, because nothing is done by them: they say something,
 * filter what a pipe brings, or go where the command already stands.
 * Strict: a word that is only known when it runs, or that stands for files, makes it a command
 * like any other.
 */
import { leavesFrom } from './leaves-workspace.ts'
import { isPipedFilter } from './reading-forms.ts'
import type { SimpleCommand } from './shell-reading.ts'

/** Whether a command needs no entry. */
export function isFreeCommand(command: SimpleCommand, workspace: string | null): boolean {
  const { words, assigns, stdin } = command
  // `IFS= read -r x` splits nothing.
  const isSet =
    assigns.length > 0 && !(words[0] === 'read' && assigns.every((name) => name === 'IFS'))
  if (isSet) return false
  switch (words[0]) {
    case 'echo':
      return onlySays(command, workspace)
    case 'printf':
      // An option would set a variable.
      return /^[^-]/.test(command.starts[1] ?? '') && onlySays(command, workspace)
    case 'pwd':
      return words.slice(1).every((word) => word === '-P' || word === '-L')
    case 'cd':
      return staysInside(command, workspace)
    case 'sleep':
      return words.slice(1).every((word) => /^[\d.]+[smhd]?$/.test(word ?? ''))
    case 'read':
      // What a pipe brings, never a file; which names, another rule minds.
      if (!command.isPiped) return false
      return words.slice(1).every((word) => /^(-[rs]+|[A-Za-z_]\w*)$/.test(word ?? ''))
    case 'export':
      return onlyExports(command)
    case 'cat':
      // It only says what the text itself hands it: how agents write long messages.
      return (words.length === 1 && stdin !== null) || isPipedFilter(command)
    default:
      return isPipedFilter(command)
  }
}

/** Whatever its words are, it says them; names of files only in the workspace. */
function onlySays(command: SimpleCommand, workspace: string | null): boolean {
  const { starts, wild, text, dirs } = command
  // `{a[…]}>x` keeps a descriptor in a variable, and evaluates its subscript.
  if (/\}[<>]/.test(text)) return false
  // `$(< file)` reads without a program. WHY any `<`: lines and comments may stand before it.
  if (/\$\(|`/.test(text) && /<(?!<)/.test(text)) return false
  return !starts.some((start, at) => wild[at] && leavesFrom({ dirs, workspace }, start))
}

/** `cd` into a folder of the workspace, from wherever it may stand. */
function staysInside({ words, wild, dirs }: SimpleCommand, workspace: string | null): boolean {
  const targets = words.slice(1).filter((word, at) => at > 0 || !/^(-[PL]|--)$/.test(word ?? ''))
  const [target, ...more] = targets
  if (typeof target !== 'string' || target === '' || more.length > 0) return false
  if (wild.includes(true) || target.startsWith('-') || dirs.includes(null)) return false
  // Without a workspace, nobody knows where an absolute folder is.
  if (workspace === null && target.startsWith('/')) return false
  return !leavesFrom({ dirs, workspace }, target)
}

/** `export` of names and of values that stay one word; which names, another rule minds. */
function onlyExports({ words, text }: SimpleCommand): boolean {
  if (words.length < 2) return false
  if (words.includes(null)) return exportedValues.test(text)
  return words.slice(1).every((word) => /^[A-Za-z_]\w*(=|$)/.test(word ?? ''))
}

const exportedValues =
  /^export(?:\s+[A-Za-z_]\w*=(?:"(?:[^"`\\$]|\$[A-Za-z_])*"|[\w./:@%+,-]*))+\s*$/
