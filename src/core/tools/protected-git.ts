/**
 * What git does to protected files beside those that it names: it overwrites and removes many at
 * once, applies patches, and has settings that run programs.
 * Knows words of commands. Which files are protected is asked.
 */

import { changesSetting } from '../shell/program-grammar.ts'
import { type ProgramArgument, programArguments } from '../shell/read-arguments.ts'
import { isKnownReader } from '../shell/rule-on-shell-writes.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { programOf } from './command-operands.ts'
import { takesWorkspace } from './takes-workspace.ts'

type Holding = {
  readonly isHeld: (path: string) => boolean
  readonly workspace: string
  readonly reading: GoodReading
}

/** What git overwrites or removes at once. */
export function clearedBy(command: SimpleCommand, holding: Holding): string | null {
  const found = programArguments(command)
  if (found === null) return null
  const { grammar, options, operands, behindDashes } = found
  const has = (kind: string) => options.some((option) => option.kind === kind)
  if (has('shows') || has('lists')) return null
  if (has('discards')) return command.text
  const isAll = ({ start, value }: ProgramArgument) => {
    return value !== null && (isWhole(start) || takesWorkspace(start, command, holding))
  }
  const { sweeps } = grammar.raw
  if (sweeps === undefined || programOf(command) !== 'git') return null
  const paths = operands.filter((operand, i) => {
    return operand.kind === 'pathspec' || i >= operands.length - behindDashes || sweeps === 'paths'
  })
  if (sweeps === 'untracked' && paths.length === 0) {
    const spares = options.some(
      ({ name, value }) => /^(e|exclude)$/.test(name) && holding.isHeld(value ?? ''),
    )
    return spares ? null : command.text
  }
  if (has('index') && !options.some(({ name }) => /^(W|worktree)$/.test(name))) return null
  if (options.some(({ name }) => name === 'pathspec-from-file')) return command.text
  return paths.some(isAll) ? command.text : null
}

/** The workspace itself, or a folder above it. */
function isWhole(path: string): boolean {
  return /^(?::.*|\.?\/?\*|(?:\.{1,2}\/?)+|\*\*.*|~\/?|\/)$/s.test(path)
}

/** A patch that is applied and stands in no here-document: which files it changes is not known. */
export function unreadPatchIn({ commands }: GoodReading): string | null {
  const found = commands.find((command) => {
    if (command.stdin !== null) return false
    const args = programArguments(command)
    if (args === null || args.options.some(({ kind }) => kind === 'shows')) return false
    if (
      args.options.some(({ name }) => /^(abort|continue|skip|quit|show-current-patch)$/.test(name))
    )
      return false
    return args.grammar.raw.sweeps === 'patch' || programOf(command) === 'patch'
  })
  return found?.text ?? null
}

/** Whether it changes a setting of git that makes it run something, wherever that is kept. */
export function changesGit(command: SimpleCommand): boolean {
  if (programOf(command) !== 'git') return false
  const found = programArguments(command)
  if (found === null) return false
  const isHanded = found.options.some(
    ({ kind, value }) => kind === 'setting' && (value ?? '!').includes('!'),
  )
  if (isHanded) return true
  if (found.verbs[0] !== 'config' || isKnownReader(command)) return false
  const [name] = found.operands
  if (name === undefined) return found.options.some(({ name: option }) => /^e/.test(option))
  return changesSetting('git', name.value) || changesSetting('git', `${name.value}.`)
}
