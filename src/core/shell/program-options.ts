/**
 * Options that make a listed program do more than its name says: run another program, load code
 * from elsewhere, or write a file of the caller's choice. What is known of a program stands in
 * `programs/`; a few options mean the same to whoever has them.
 * Helpful, but not a security boundary: see docs/reference/guard-commands.md.
 */
import { anyOf } from './alternation-pattern.ts'
import { isInParts, isTameProgram } from './argument-checks.ts'
import { isListTrouble } from './argument-kinds.ts'
import { leavesFrom, type PathOrigin } from './leaves-workspace.ts'
import names from './names.json' with { type: 'json' }
import { programArguments, type ReadArguments } from './read-arguments.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { readSql } from './text-languages.ts'
import { baseName, shells } from './wrappers.ts'

/** A listed command, and how many of its words the entry names: those are the author's wish. */
export type ListedCommand = PathOrigin & {
  readonly command: SimpleCommand
  readonly listedCount: number
}

/** Long options that hand a program to a program, whoever has them. */
const runningAnywhere = anyOf(names.runningOptions, '^--(?:', ')(=|$)')

/** Options that load code from a path: harmless inside the workspace, where it is run anyway. */
const loadingAnywhere = anyOf(names.loadingOptions, '^--?(?:', ')$')

/** Programs whose words behind the entry belong to somebody else. */
const strangers = /^(docker|podman|nerdctl|kubectl|ssh|echo|printf|configure)$/

/** The word that is the trouble; null: none. */
export function troubleIn(listed: ListedCommand): string | null {
  const { command } = listed
  const found = programArguments(command)
  const trouble = found === null ? shellIn(listed) : troubleByGrammar(listed, found)
  if (trouble !== null) return trouble
  return troubleAnywhere(listed)
}

/** A shell that is handed to a program of which nothing is known; null: none. */
function shellIn({ command, listedCount }: ListedCommand): string | null {
  const { words } = command
  const at = words.findIndex((word, i) => {
    if (i < listedCount || word === null || !shells.has(baseName(word))) return false
    return word.startsWith('/') || /^-\w*c/.test(words[i + 1] ?? '')
  })
  return at < 0 ? null : (words[at] ?? null)
}

function troubleByGrammar(listed: ListedCommand, found: ReadArguments): string | null {
  const { command, listedCount, dirs, workspace } = listed
  const { grammar, options, operands } = found
  const wordAt = (at: number) => command.starts[at] || command.text
  const isOpen = grammar.isDangerous || found.isVerbUnknown
  if (found.loose >= listedCount && found.loose > 0 && isOpen) return command.text
  const program = baseName(command.words[0] ?? '')
  const parts = isInParts(options)
  const scope = { program, dirs, workspace, makes: false, isLocal: false, isInParts: parts }
  const isAddressed = command.words
    .slice(0, listedCount)
    .some((word) => /^\w+:\/\//.test(word ?? ''))
  for (const argument of [...options, ...operands]) {
    const { kind, at } = argument
    if (kind === '' && !(isAddressed && program === 'curl')) continue
    // The value of the last word of an entry belongs to the author as well.
    if (at < listedCount) continue
    // Who lists an interpreter lists everything it can run; who lists `git` does not.
    const isOwn = listedCount === 1 || operands.some((one) => one.kind === 'script' && one.at < at)
    if (grammar.use === 'runs' && isOwn && /^(runs|script|code|starts)$/.test(kind)) continue
    if (kind === 'script' && !isOwn && argument.name !== '') return wordAt(at)
    if (kind === 'filter' && listedCount < 2) return wordAt(at)
    // Who lists `sed` alone lists a tool that edits; who lists `sed -n` wants to read.
    if (kind === 'edits' && listedCount > 1) return wordAt(at)
    if (kind === 'include' && (argument.value ?? '').includes('inplace')) {
      if (listedCount > 1) return wordAt(at)
    } else if (isAddressed && (argument.name === '' || kind === 'elsewhere')) return wordAt(at)
    else if (isListTrouble(argument, scope)) return wordAt(at)
  }
  const { stdin } = command
  if (grammar.raw.stdin === 'sql' && stdin !== null && readSql(program, stdin)) return command.text
  return editsAway(listed, found)
}

/** Files outside of the workspace that are edited in place. */
function editsAway(listed: ListedCommand, { options, operands }: ReadArguments): string | null {
  if (!options.some((option) => option.kind === 'edits')) return null
  const away = operands.find(
    ({ kind, start }) => kind !== 'sed' && /^[/~.]/.test(start) && leavesFrom(listed, start),
  )
  return away?.start ?? null
}

/** An option that runs or loads something, whoever has it; null: none. */
export function troubleAnywhere(listed: ListedCommand): string | null {
  const { command, listedCount } = listed
  if (strangers.test(baseName(command.words[0] ?? ''))) return null
  for (let i = listedCount; i < command.starts.length; i += 1) {
    const start = command.starts[i] as string
    if (start === '--') return null
    if (!start.startsWith('-')) continue
    const at = start.indexOf('=')
    const value = at > 0 ? start.slice(at + 1) : (command.words[i + 1] ?? null)
    if (runningAnywhere.test(start) && !isTameProgram(value)) return start
    const name = at > 0 ? start.slice(0, at) : start
    if (loadingAnywhere.test(name) && value !== null && leavesFrom(listed, value)) return start
  }
  return null
}
