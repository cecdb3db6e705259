/**
 * Where a host has no tool for reading or searching, the permission for that tool counts for the
 * commands that stand in for it. They are held to what such a tool is held to: its paths, and the
 * secrets that nobody reads.
 */
import type { Call, Denial, ReadCommand } from '../engine/types.ts'
import { joinPointer } from '../finding.ts'
import type { Machine, RuleRef, Stage } from '../machine/machine.ts'
import type { ShellReading } from '../shell/shell-reading.ts'
import { ruleOnPaths } from '../tools/rule-on-paths.ts'
import { ruleOnProtected } from '../tools/rule-on-protected.ts'
import { namesMatch } from '../tools/tool-names.ts'

type StageCall = { readonly machine: Machine; readonly stage: Stage; readonly call: Call }

/** Which entry of the list of tools allows a look; -1: all tools are allowed; null: none does. */
function allowingEntry({ stage, call }: StageCall, look: ReadCommand): number | null {
  const { allow, deny } = stage.rule.tools
  const means = (entry: string) => (tool: string) =>
    namesMatch(entry, { ...call, tool, commonName: tool })
  if (deny.some((entry) => look.tools.some(means(entry)))) return null
  if (allow === 'all') return -1
  const at = allow.findIndex((entry) => look.tools.some(means(entry)))
  return at < 0 ? null : at
}

/** Why a look is denied that its tool would be denied, too; null: it is not. */
function readCommandDenial({ machine, stage, call }: StageCall, look: ReadCommand): Denial | null {
  const commonName = look.tools[0] ?? 'Read'
  const { looks: _, ...rest } = call
  const { act, reads } = look
  const asTool: Call = { ...rest, act, commonName, shell: null, reads, writes: [], edits: [] }
  const lists = stage.rule.tools.allow !== 'all'
  const scope = { lists, paths: machine.paths, workspace: call.workspace }
  return ruleOnProtected(asTool) ?? ruleOnPaths(asTool, scope)
}

/** The looks that the stage allows, and the first of its entries that does. */
function allowedReadCommands(asked: StageCall): readonly ReadCommand[] {
  const looks = asked.call.looks?.commands ?? []
  return looks.filter((look) => allowingEntry(asked, look) !== null)
}

/** Whether the call does nothing but look, and its stage allows the tools that it stands for. */
export function readsOnly(asked: StageCall): boolean {
  const { looks } = asked.call
  return looks?.isAll === true && allowedReadCommands(asked).length === looks.commands.length
}

/** Why a call that only looks is denied all the same; null: it is not. */
export function ruleOnReadCommands(asked: StageCall): Denial | null {
  for (const look of asked.call.looks?.commands ?? []) {
    const denial = readCommandDenial(asked, look)
    if (denial !== null) return denial
  }
  return null
}

/** The entry that lets a call through which only looks; `list` is where the list is written. */
export function readCommandRule(asked: StageCall, list: RuleRef): RuleRef | null {
  const [first] = asked.call.looks?.commands ?? []
  const at = first === undefined ? null : allowingEntry(asked, first)
  if (at === null) return null
  return at < 0 ? list : { ...list, pointer: joinPointer(list.pointer, String(at)) }
}

/** The text as a list of commands has to judge it: what is allowed to look does nothing else. */
export function withoutReadCommands(asked: StageCall, shell: ShellReading): ShellReading {
  if (!shell.ok || asked.call.looks === undefined) return shell
  const passed = new Set(
    allowedReadCommands(asked)
      .filter((look) => readCommandDenial(asked, look) === null)
      .map(({ at }) => at),
  )
  if (passed.size === 0) return shell
  const commands = shell.commands.map((one, at) => (passed.has(at) ? { ...one, ...nothing } : one))
  return { ...shell, commands }
}

const nothing = { words: ['true'], starts: ['true'], wild: [false] } as const
