/**
 * What git does to protected files beside those that it names: it overwrites and removes many at
 * once, applies patches, and has settings that run programs.
 * Knows words of commands. Which files are protected is asked.
 */

import { normalisePath } from '../expr/glob.ts'
import { changesSetting } from '../shell/program-grammar.ts'
import { type ProgramArgument, programArguments } from '../shell/read-arguments.ts'
import { isKnownReader } from '../shell/rule-on-shell-writes.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { programOf } from './command-operands.ts'

type Holding = { readonly isHeld: (path: string) => boolean; readonly workspace: string }

/** What git overwrites or removes at once, or a removal of the whole workspace. */
export function clearedBy(command: SimpleCommand, { isHeld, workspace }: Holding): string | null {
  const found = programArguments(command)
  if (found === null) return null
  const { grammar, options, operands, behindDashes } = found
  const has = (kind: string) => options.some((option) => option.kind === kind)
  if (has('shows') || has('lists')) return null
  if (has('discards')) return command.text
  const program = programOf(command)
  const isAll = ({ start, value }: ProgramArgument) => {
    return value !== null && (isWhole(start) || isAround(workspace, start))
  }
  const takesAway = /^(?:zip|tar|7z.?)$/.test(program) && has('writes')
  if (takesAway || program === 'rm' || program === 'mv') {
    const taken = program === 'mv' ? operands.slice(0, -1) : operands
    return taken.some((one) => !one.start.includes('*') && isAll(one)) ? command.text : null
  }
  const { sweeps } = grammar.raw
  if (sweeps === undefined || program !== 'git') return null
  const paths = operands.filter((operand, i) => {
    return operand.kind === 'pathspec' || i >= operands.length - behindDashes || sweeps === 'paths'
  })
  if (sweeps === 'untracked' && paths.length === 0) {
    const spares = options.some(
      ({ name, value }) => /^(e|exclude)$/.test(name) && isHeld(value ?? ''),
    )
    return spares ? null : command.text
  }
  if (has('index') && !options.some(({ name }) => /^(W|worktree)$/.test(name))) return null
  if (options.some(({ name }) => name === 'pathspec-from-file')) return command.text
  return paths.some(isAll) ? command.text : null
}

/** Whether a path leads to the workspace, or to a folder above it. */
function isAround(workspace: string, path: string): boolean {
  if (!path.startsWith('/') && !path.startsWith('../')) return false
  return normalisePath(workspace, path.startsWith('/') ? path : `${workspace}/${path}`) !== null
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
