/** Compares what two versions of a stage permit: tools, commands, variables, files and limits. */
import type { StageRule, ToolRule } from './machine.ts'
import {
  type ChangeNotes,
  compareLimit,
  listDifference,
  type NameLists,
  namesText,
  valueKey,
} from './permission-change.ts'

type RulePair = { readonly before: StageRule; readonly after: StageRule }

/** Notes every difference. */
export function compareStageRules(notes: ChangeNotes, { before, after }: RulePair): void {
  compareTools(notes, before.tools, after.tools)
  if (before.commandTool !== after.commandTool) {
    notes.unclear(`the list of commands is about \`${after.commandTool}\` now`)
  }
  compareCommands(notes, before.commands, after.commands)
  compareVariables(notes, { before, after })
  compareLimit(notes, { what: 'calls', before: before.callsMax }, after.callsMax)
  compareLimit(notes, { what: 'lines of an edit', before: before.editLinesMax }, after.editLinesMax)
  compareLimit(notes, { what: 'changed files', before: before.filesMax }, after.filesMax)
  compareLimit(notes, { what: 'bytes of results', before: before.bytesMax }, after.bytesMax)
  compareFiles(notes, { before, after })
  comparePrograms(notes, before.programsDenied ?? [], after.programsDenied ?? [])
}

function compareTools(notes: ChangeNotes, before: ToolRule, after: ToolRule): void {
  if (before.allow === 'all' && after.allow !== 'all') notes.tightens('limits the tools to a list')
  else if (before.allow !== 'all' && after.allow === 'all') notes.loosens('permits every tool')
  else if (before.allow !== 'all' && after.allow !== 'all') {
    const { added, removed } = listDifference({ before: before.allow, after: after.allow })
    if (added.length > 0) notes.loosens(`permits ${namesText(added)}`)
    if (removed.length > 0) notes.tightens(`no longer permits ${namesText(removed)}`)
  }
  const denied = listDifference({ before: before.deny, after: after.deny })
  if (denied.removed.length > 0) notes.loosens(`no longer denies ${namesText(denied.removed)}`)
  if (denied.added.length > 0) notes.tightens(`denies ${namesText(denied.added)}`)
  if (valueKey(before.among) !== valueKey(after.among)) {
    notes.unclear('the list of tools is about other tools now')
  }
}

type Commands = readonly string[] | null

function compareCommands(notes: ChangeNotes, before: Commands, after: Commands): void {
  if (before === null && after === null) return
  if (after === null) return notes.loosens('permits any command')
  if (before === null) return notes.tightens('limits the commands to a list')
  const { added, removed } = listDifference({ before, after })
  const wider = added.filter((one) => !before.some((old) => covers(old, one)))
  const gone = removed.filter((one) => !after.some((now) => covers(now, one)))
  if (wider.length > 0) notes.loosens(`permits the commands ${namesText(wider)}`)
  if (gone.length > 0) notes.tightens(`no longer permits the commands ${namesText(gone)}`)
}

/** An entry covers what begins with its words. WHY only plain words: the rest is not compared. */
function covers(entry: string, other: string): boolean {
  const isPlain = /^[\w ./:@=-]+$/.test(entry)
  return entry === other || (isPlain && other.startsWith(`${entry} `))
}

function compareVariables(notes: ChangeNotes, { before, after }: RulePair): void {
  const blocked = listDifference({ before: before.envBlocked, after: after.envBlocked })
  if (blocked.removed.length > 0) {
    notes.loosens(`no longer hides the variables ${namesText(blocked.removed)}`)
  }
  if (blocked.added.length > 0) notes.tightens(`hides the variables ${namesText(blocked.added)}`)
  if (valueKey(before.envSet) !== valueKey(after.envSet)) {
    notes.unclear('sets other variables for commands')
  }
}

function compareFiles(notes: ChangeNotes, { before, after }: RulePair): void {
  comparePatterns(notes, before.filesWritable, after.filesWritable)
  if (before.files !== after.files) {
    const ranks = { read: 0, scratch: 1, write: 2 }
    const [old, now] = [before.files, after.files]
    const isTighter = old !== undefined && now !== undefined && ranks[now] < ranks[old]
    const text = `opens files in a box as \`${now ?? 'the tools need them'}\``
    if (isTighter) notes.tightens(text)
    else notes.unclear(text)
  }
  const [old, now] = [before.writeFolders, after.writeFolders]
  if (old === undefined && now === undefined) return
  if (now === undefined) return notes.loosens('any folder can be written to in a box')
  if (old === undefined) return notes.tightens('limits the folders to write to in a box')
  const { added, removed } = listDifference({ before: old, after: now })
  if (added.length > 0) notes.loosens(`can write to ${namesText(added)} in a box`)
  if (removed.length > 0) notes.tightens(`can no longer write to ${namesText(removed)} in a box`)
}

function comparePrograms(notes: ChangeNotes, before: readonly string[], after: readonly string[]) {
  const { added, removed } = listDifference({ before, after })
  if (removed.length > 0) notes.loosens(`can start the programs ${namesText(removed)}`)
  if (added.length > 0) notes.tightens(`can no longer start the programs ${namesText(added)}`)
}

type Patterns = readonly string[] | undefined

/** Patterns of files that may be changed, with `!` in front of those that may not. */
function comparePatterns(notes: ChangeNotes, before: Patterns, after: Patterns): void {
  if (valueKey(before) === valueKey(after)) return
  if (after === undefined) return notes.loosens('permits changes of any file')
  if (before === undefined) return notes.tightens('limits which files may be changed')
  const open = listDifference({ before: before.filter(isOpen), after: after.filter(isOpen) })
  const shut = listDifference({ before: before.filter(isShut), after: after.filter(isShut) })
  const wider = [...open.added, ...shut.removed]
  const narrower = [...open.removed, ...shut.added]
  if (wider.length > 0) notes.loosens(patternText(open.added, shut.removed))
  if (narrower.length > 0) notes.tightens(`no longer permits changes by ${namesText(narrower)}`)
  if (wider.length + narrower.length === 0) notes.unclear('the patterns of files are reordered')
}

function patternText(open: NameLists['after'], shut: NameLists['after']): string {
  const parts = [
    ...(open.length > 0 ? [`permits changes of ${namesText(open)}`] : []),
    ...(shut.length > 0 ? [`drops the exceptions ${namesText(shut)}`] : []),
  ]
  return parts.join(', ')
}

function isShut(pattern: string): boolean {
  return pattern.startsWith('!')
}

function isOpen(pattern: string): boolean {
  return !isShut(pattern)
}
