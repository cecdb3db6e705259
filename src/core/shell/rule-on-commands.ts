/**
 * The rule of a command list: every simple command of a text has to be on the list, word by word.
 * Knows readings and entries. Must not know stages, hosts or the disk.
 */
import type { Denial } from '../engine/types.ts'
import { asksProgram } from './asks-program.ts'
import {
  type CommandEntry,
  type EntryIndex,
  entriesOf,
  matchingEntries,
  namedFrom,
} from './command-list-entries.ts'
import { isFreeCommand } from './free-commands.ts'
import { isOutside, leavesFrom } from './leaves-workspace.ts'
import { isSystemProgram } from './program-grammar.ts'
import { troubleIn } from './program-options.ts'
import { denyUnreadable, quoteCommand } from './quote-command.ts'
import { riskyAssignment } from './risky-assignment.ts'
import type { GoodReading, ShellReading, SimpleCommand } from './shell-reading.ts'
import { baseName, runners, shells } from './wrappers.ts'

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

/** The denial of an `export` of names that are not the text's to set, unless it is listed. */
export function ruleOnExports(
  reading: ShellReading,
  entries: readonly string[],
  names: readonly string[],
): Denial | null {
  if (!reading.ok || names.length === 0) return null
  const list = entriesOf(entries)
  const found = reading.commands.find(
    (command) =>
      command.words[0] === 'export' &&
      command.starts.some((start) => names.includes(start.split('=')[0] ?? '')) &&
      matchingEntries(list, command).length === 0,
  )
  return found === undefined ? null : { ...notListed(found), hint: '' }
}

type Trouble = Pick<Denial, 'code' | 'reason'>

function judge(
  reading: ShellReading,
  entries: readonly string[],
  workspace: string | null,
): Trouble | null {
  if (!reading.ok) return denyUnreadable(reading)
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

function notListed({ text }: SimpleCommand): Trouble {
  return notAllowed(`\`${quoteCommand(text)}\` is not on the list`)
}

function ruleOnNames(
  reading: GoodReading,
  { list, isEmpty }: Pick<Seen, 'list' | 'isEmpty'>,
  workspace: string | null,
): Trouble | null {
  const isIdle = reading.commands.every((command) => command.words.length === 0)
  if (reading.commands.length === 0 || (isIdle && isEmpty)) {
    return notAllowed('it contains no command to check against the list')
  }
  const [defined] = reading.functions
  if (defined !== undefined) {
    return notAllowed(`the function \`${defined}\` would hide which commands run`)
  }
  /** What permits each command, for those that stand inside of it. */
  const permitted: (readonly Permit[])[] = []
  const { commands } = reading
  const seen: Seen = { list, commands, permitted, isEmpty, workspace }
  for (const command of commands) {
    const permits = permitsOf(command, seen)
    const clear = permits.filter((one) => optionTrouble(command, one, workspace) === null)
    permitted.push(clear)
    if (clear.length > 0 || needsNoEntry(command, seen)) continue
    const [first] = permits
    if (first === undefined) return notListed(command)
    const trouble = quoteCommand(optionTrouble(command, first, workspace) ?? '')
    const text = quoteCommand(command.text)
    return notAllowed(`\`${trouble}\` makes \`${text}\` do more than the list allows`)
  }
  return null
}

type Seen = {
  readonly list: EntryIndex
  readonly commands: readonly SimpleCommand[]
  readonly permitted: readonly (readonly Permit[])[]
  readonly isEmpty: boolean
  readonly workspace: string | null
}

/** Something that lets a command through, and how many of its first words the author named. */
type Permit = {
  readonly named: number
  /** An entry, and its word where the command begins; null: no entry is needed. */
  readonly entry: CommandEntry | null
  readonly from: number
}

/**
 * Everything that lets a command through; none: it is not on the list. All of them, so that one
 * more entry never takes away what another one allows.
 */
function permitsOf(command: SimpleCommand, seen: Seen): readonly Permit[] {
  const { words, within, isByRunner } = command
  const first = words[0]
  // A name that nobody knows yet is left to the rule on hidden things.
  if (first === undefined || first === null) return [free(words.length)]
  const permits = matchingEntries(seen.list, command).map((entry) => permitBy(entry, 0))
  const isTool = isByRunner && isProjectTool(command, seen.workspace)
  if (within === null) return isTool ? [...permits, free(1)] : permits
  const outer = seen.permitted[within.command] ?? []
  for (const { entry, from } of outer) {
    // The entry of a wrapper that goes on into the inner command speaks for it as well.
    const permit = entry === null ? null : permitBy(entry, from + within.word)
    if (permit !== null && permit.named > 0) permits.push(permit)
  }
  const runner = seen.commands[within.command]?.words ?? []
  if (isTool && outer.some((one) => namesRunner(one, runner))) permits.push(free(1))
  return permits.sort((a, b) => b.named - a.named)
}

/**
 * Whether what a runner runs may be a tool of the project, for which its entry speaks:
 * `uv run pytest`, and not `uv run rm`, a shell, or a file from elsewhere.
 */
function isProjectTool({ words, dirs }: SimpleCommand, workspace: string | null): boolean {
  const program = words[0] ?? ''
  if (/^[/~.]/.test(program) && leavesFrom({ dirs, workspace }, program)) return false
  const name = baseName(program)
  if (shells.has(name)) return words.some((word) => /^-\w*c/.test(word ?? ''))
  return !isSystemProgram(name)
}

/** An empty list permits nothing, not even what does nothing. */
function needsNoEntry(command: SimpleCommand, { list, isEmpty, workspace }: Seen): boolean {
  if (isEmpty) return false
  const { words } = command
  // Whoever lists one command of a program lets it be asked what it is.
  if (list.byProgram.has(words[0] ?? '') && asksProgram(command)) return true
  return isHarmless(words[0] ?? '', words) || isFreeCommand(command, workspace)
}

/** An entry speaks for what a runner runs if no wildcard of it stands for the runner. */
function namesRunner({ entry, named }: Permit, words: SimpleCommand['words']): boolean {
  if (entry === null || named === entry.words.length) return true
  const isWord = (part: string, at: number) =>
    words[at] === part || (at === 0 && baseName(words[0] ?? '') === part)
  return runners.some((runner) => runner.length <= named && runner.every(isWord))
}

function free(named: number): Permit {
  return { named, entry: null, from: 0 }
}

function permitBy(entry: CommandEntry, from: number): Permit {
  return { named: namedFrom(entry, from), entry, from }
}

function isHarmless(first: string, words: readonly (string | null)[]): boolean {
  if (harmless.has(first)) return true
  if (first !== 'set' || words.length < 2) return false
  return words.slice(1).every((word) => strictness.test(word ?? ''))
}

function optionTrouble(
  command: SimpleCommand,
  { named }: Permit,
  workspace: string | null,
): string | null {
  const name = command.words[0]
  if (name === undefined || name === null) return null
  return troubleIn({ command, listedCount: named, dirs: command.dirs, workspace })
}

function ruleOnAssignments(reading: GoodReading): Trouble | null {
  const found = riskyAssignment(reading)
  if (found === undefined) return null
  return notAllowed(`setting \`${found.name}\` changes what the listed commands run or trust`)
}

function ruleOnHidden(reading: GoodReading): Trouble | null {
  const [first] = reading.hidden
  if (first === undefined) return null
  const token = quoteCommand(first.token)
  const reason = `\`${token}\` cannot be analyzed before it runs: ${first.reason}`
  return { code: 'COMMAND_UNREADABLE', reason }
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
