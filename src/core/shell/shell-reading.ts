/**
 * The result of reading a shell text as bash would, used by the rules on commands, files and
 * variables. Only the shape; `read-shell.ts` creates it.
 */

import type { SingleCommand } from './single-command.ts'

export type ShellReading =
  | GoodReading
  /** It cannot be read statically; `token` is the part that was the trouble. */
  | { readonly ok: false; readonly reason: string; readonly token: string }

export type GoodReading = {
  readonly ok: true
  /** What was read. */
  readonly text: string
  /** The folder it starts in, seen from the workspace; null: it cannot be told. */
  readonly start: string | null
  /** Every simple command of the text, wherever it stands, wrappers unwrapped beside it. */
  readonly commands: readonly SimpleCommand[]
  /** It is made of commands, pipes and lists alone, with no word that is expanded. */
  readonly isPlain: boolean
  /** Redirections into and out of files. */
  readonly redirections: readonly Redirection[]
  /** Variables whose value the text reads, however it reads them. */
  readonly variablesRead: readonly string[]
  /** The text can show the whole environment (`env`, `export -p`, `declare -p`, `/proc`). */
  readonly listsVariables: boolean
  /** Variables it assigns, exports or unsets. */
  readonly variablesWritten: readonly string[]
  /** A part of the text runs with an emptied environment (`env -i`). */
  readonly emptiesVariables: boolean
  /** The same, one for each time, with the value where it is known. */
  readonly assignments: readonly AssignedValue[]
  /** Beginnings of names it lists: `${!AWS_*}`. */
  readonly prefixesRead: readonly string[]
  /** Functions it defines: from there on, these names mean something else. */
  readonly functions: readonly string[]
  /** Places where something runs that only shows when it runs. */
  readonly hidden: readonly Hidden[]
  /** The one command of the text, where there is nothing else in it; null: there is more. */
  readonly single: SingleCommand | null
}

export type AssignedValue = { readonly name: string; readonly value: string | null }

/**
 * Every folder something may run in, from the workspace: `` is the workspace itself; null: one
 * that cannot be told.
 */
export type Dirs = readonly (string | null)[]

export type SimpleCommand = {
  /** After quote removal; null: only known when it runs. */
  readonly words: readonly (string | null)[]
  /** The part of each word that is known whatever happens, from its beginning. */
  readonly starts: readonly string[]
  /** Per word: a wildcard in it stands outside quotes, so the shell looks for files. */
  readonly wild: readonly boolean[]
  /** Per word: what is not known of it, the text itself makes up, and no variable of the host. */
  readonly made: readonly boolean[]
  /** As written, for messages. */
  readonly text: string
  /** Runs inside another command of the text: a wrapper, a substitution, an inner shell. */
  readonly isInner: boolean
  /** Names assigned in front of it. */
  readonly assigns: readonly string[]
  /** The wrapper it was found in, as an index of `commands`, and the word where it begins there. */
  readonly within: { readonly command: number; readonly word: number } | null
  /** Run by a package runner (`npx`, `uv run`), whose entry on a list speaks for it. */
  readonly isByRunner: boolean
  /** Text that a here-document or a here-string hands to it; null: none. */
  readonly stdin: string | null
  /** It reads what the command in front of it says, and no file in its place. */
  readonly isPiped: boolean
  /** A file stands on its input. */
  readonly isFed: boolean
  /** Where it may run. */
  readonly dirs: Dirs
}

export type Redirection = {
  readonly kind: 'read' | 'write'
  /** After quote removal; null: only known when it runs. */
  readonly target: string | null
  readonly text: string
  /** As in a command. */
  readonly dirs: Dirs
}

/** `code`: a program or script nobody can name; `value`: a value that could carry a command. */
export type Hidden = {
  readonly kind: 'code' | 'value'
  readonly reason: string
  readonly token: string
}
