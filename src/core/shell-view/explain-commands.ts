/**
 * Checks the commands of a text against a command list one by one: which entry matches, or what is
 * wrong. Decides nothing; the rule is in `rule-on-commands.ts`.
 */
import type { Denial } from '../engine/types.ts'
import { entriesOf, matchingEntries } from '../shell/command-list-entries.ts'
import { quoteCommand } from '../shell/quote-command.ts'
import { ruleOnCommands } from '../shell/rule-on-commands.ts'
import type { ShellReading, SimpleCommand } from '../shell/shell-reading.ts'

/** Commands of one text that are explained. */
const commandsExplainedMax = 100

type ExplainedCommand = {
  readonly text: string
  /** The entry that fits it; null: none does. */
  readonly entry: string | null
  /** Why it is not allowed; null: it is. */
  readonly trouble: Pick<Denial, 'code' | 'reason'> | null
}

/** What a list says about each simple command, in the order of the text. */
export function explainCommands(
  reading: ShellReading,
  entries: readonly string[],
  workspace: string | null = null,
): readonly ExplainedCommand[] {
  if (!reading.ok) return []
  const before: SimpleCommand[] = []
  // An assignment alone runs nothing, so no entry speaks of it.
  const running = reading.commands.filter(({ words }) => words.length > 0)
  return running.slice(0, commandsExplainedMax).map((command) => {
    // The commands in front stay, because one may stand inside another; what is wrong with them
    // has been told, so they are replaced by one that does nothing.
    const alone = { ...reading, ...nothingElse, commands: [...before, command] }
    const trouble = ruleOnCommands(alone, entries, workspace)
    before.push(trouble === null ? command : { ...command, ...harmless })
    return { text: quoteCommand(command.text), entry: entryFor(command, entries), trouble }
  })
}

const nothingElse = { redirections: [], assignments: [], functions: [], hidden: [] } as const
const harmless = { words: ['true'], starts: ['true'], dirs: [''] } as const

/** The longest entry that fits; each is split into words once. */
function entryFor(command: SimpleCommand, entries: readonly string[]): string | null {
  const [longest] = matchingEntries(entriesOf(entries), command).toSorted(
    (a, b) => b.words.length - a.words.length,
  )
  return longest?.text ?? null
}
