/**
 * The rule of a command list: every simple command of a text has to be on the list, word by word.
 * Knows readings and entries. Must not know stages, hosts or the disk.
 */
import type { Denial } from '../engine/types.ts'
import { type EntryIndex, entriesOf, matchEntry } from './command-list-entries.ts'
import { isFreeCommand } from './free-commands.ts'
import { isOutside } from './leaves-workspace.ts'
import { troubleIn } from './program-options.ts'
import { quoteCommand } from './quote-command.ts'
import type { GoodReading, ShellReading, SimpleCommand } from './shell-reading.ts'
import { changesWhatRuns } from './variable-names.ts'

/** Commands of the shell that only answer, wait or leave: nothing is done by them. */
const harmless: ReadonlySet<string> = new Set(
  'true false : [ test exit return break continue wait'.split(' '),
)

/** Those of them that do the same in any folder: `cd x || exit 1`. */
const leaving: ReadonlySet<string> = new Set('true false : exit return break continue'.split(' '))

/** Switches that make a script stricter or more talkative. */
const strictness = /^([-+][euxvf]+|[-+][euxvf]*o|pipefail|errexit|nounset|xtrace|verbose|noglob)$/

/** The denial of a text with a command that is not on the list; null: all of them are. */
export function ruleOnCommands(
  reading: ShellReading,
  entries: readonly string[],
  workspace: string | null = null,
): Denial | null {
  const trouble = judge(reading, entries, workspace)
  return trouble === null ? null : { ...trouble, hint: '' }
}

type Trouble = Pick<Denial, 'code' | 'reason'>

function judge(
  reading: ShellReading,
  entries: readonly string[],
  workspace: string | null,
): Trouble | null {
  if (!reading.ok) {
    const token = reading.token === '' ? '' : ` at \`${reading.token}\``
    return unreadable(`the command cannot be parsed${token}: ${reading.reason}`)
  }
  const list = entriesOf(entries)
  return (
    ruleOnNames(reading, { list, isEmpty: entries.length === 0 }, workspace) ??
    ruleOnAssignments(reading) ??
    ruleOnHidden(reading) ??
    ruleOnPlaces(reading, workspace)
  )
}

function notAllowed(reason: string): Trouble {
  return { code: 'COMMAND_NOT_ALLOWED', reason }
}

function unreadable(reason: string): Trouble {
  return { code: 'COMMAND_UNREADABLE', reason }
}

function ruleOnNames(
  reading: GoodReading,
  { list, isEmpty }: Pick<Seen, 'list' | 'isEmpty'>,
  workspace: string | null,
): Trouble | null {
  if (!reading.commands.some((command) => command.words.length > 0)) {
    return notAllowed('it contains no command to check against the list')
  }
  const [defined] = reading.functions
  if (defined !== undefined) {
    return notAllowed(`the function \`${defined}\` would hide which commands run`)
  }
  /** How many words of each command its entry names; 0: harmless without one. */
  const listed: number[] = []
  for (const command of reading.commands) {
    const count = listedCount(command, { list, listed, isEmpty, workspace })
    if (count === null) return notAllowed(`\`${quoteCommand(command.text)}\` is not on the list`)
    listed.push(count)
    const trouble = optionTrouble(command, count, workspace)
    if (trouble !== null) {
      const text = quoteCommand(command.text)
      return notAllowed(
        `\`${quoteCommand(trouble)}\` makes \`${text}\` do more than the list allows`,
      )
    }
  }
  return null
}

type Seen = {
  readonly list: EntryIndex
  readonly listed: readonly number[]
  readonly isEmpty: boolean
  readonly workspace: string | null
}

/** Null: not on the list. A name that nobody knows yet is left to the rule on hidden things. */
function listedCount(command: SimpleCommand, seen: Seen): number | null {
  const { words, within, isByRunner } = command
  const first = words[0]
  if (first === undefined || first === null) return words.length
  const count = matchEntry(seen.list, words)
  if (count !== null) return count
  // An empty list permits nothing, not even what does nothing.
  if (!seen.isEmpty && (isHarmless(first, words) || isFreeCommand(command, seen.workspace))) {
    return words.length
  }
  // The entry of a wrapper that goes on into the inner command speaks for it as well.
  const outer = within === null ? 0 : (seen.listed[within.command] ?? 0)
  if (within !== null && outer > within.word) return outer - within.word
  return isByRunner ? 1 : null
}

function isHarmless(first: string, words: readonly (string | null)[]): boolean {
  if (harmless.has(first)) return true
  if (first !== 'set' || words.length < 2) return false
  return words.slice(1).every((word) => strictness.test(word ?? ''))
}

function optionTrouble(
  command: SimpleCommand,
  listedCount: number,
  workspace: string | null,
): string | null {
  const name = command.words[0]
  if (name === undefined || name === null) return null
  return troubleIn({ command, listedCount, dirs: command.dirs, workspace })
}

function ruleOnAssignments(reading: GoodReading): Trouble | null {
  const found = reading.assignments.find(({ name, value }) => changesWhatRuns(name, value))
  if (found === undefined) return null
  return notAllowed(`setting \`${found.name}\` changes what the listed commands run or trust`)
}

function ruleOnHidden(reading: GoodReading): Trouble | null {
  const [first] = reading.hidden
  if (first === undefined) return null
  return unreadable(
    `\`${quoteCommand(first.token)}\` cannot be analyzed before it runs: ${first.reason}`,
  )
}

/** Network devices of bash, and folders in which the same words mean something else. */
function ruleOnPlaces(reading: GoodReading, workspace: string | null): Trouble | null {
  const device = reading.redirections.find((one) => /^\/dev\/(tcp|udp)\//.test(one.target ?? ''))
  if (device !== undefined) return notAllowed(`\`${device.text}\` opens a connection`)
  const away = reading.commands.find(
    ({ dirs, words }) => dirs.some((dir) => isAway(dir, workspace)) && !leaving.has(words[0] ?? ''),
  )
  if (away === undefined) return null
  const text = quoteCommand(away.text)
  if (away.dirs.every((dir) => isAway(dir, workspace))) {
    return notAllowed(`\`${text}\` would run outside the workspace`)
  }
  return notAllowed(`\`${text}\` would run outside the workspace if a \`cd\` before it failed`)
}

function isAway(dir: string | null, workspace: string | null): boolean {
  if (dir === null || dir === '') return false
  return isOutside(dir, workspace) && !isHome(dir, workspace)
}

/** Without a workspace, a folder of somebody's home may be it. */
function isHome(dir: string, workspace: string | null): boolean {
  return workspace === null && /^~\/./.test(dir) && !dir.includes('..')
}
