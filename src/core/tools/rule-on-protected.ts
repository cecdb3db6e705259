/**
 * The rule on protected paths: no tool and no command changes them, in whatever stage, and none
 * reads Pawl's secrets. A process control, not a sandbox: a program that a command starts can
 * still write what its text does not show.
 * Knows calls. Which files are meant is said in `protected-files.ts`.
 */
import type { Call, Denial } from '../engine/types.ts'
import type { Json } from '../json.ts'
import { asObject } from '../json.ts'
import { denyUnreadable } from '../shell/quote-command.ts'
import { commandCharsMax } from '../shell/read-shell.ts'
import type { GoodReading, ShellReading } from '../shell/shell-reading.ts'
import { agentsCommandIn } from './agent-programs.ts'
import { madeNameIn, personsCommandIn } from './pawl-program.ts'
import { privateFolderIn } from './private-folders.ts'
import {
  concernsProtected,
  isHeld,
  isSecretDirectory,
  isSecretPath,
  protectedBy,
  secretPathIn,
  withoutValues,
} from './protected-commands.ts'
import { mentionsProtected } from './protected-files.ts'
import { unreadPatchIn } from './protected-git.ts'
import { isPathKey, isReader } from './server-tool-kind.ts'
import { workspaceRemover } from './takes-workspace.ts'

/** Values of an unknown tool's input that are looked at. */
export const valuesMax = 20_000

/** Denies a change of a protected file, and a look at Pawl's secrets. */
export function ruleOnProtected(call: Call): Denial | null {
  if (call.isOwn) return null
  const { shell } = call
  // Read once for both: nearly no command goes on from here.
  const concerned = shell?.ok === true && concernsProtected(shell) ? shell : null
  return (
    ruleOnChanges(call, concerned) ?? ruleOnSecrets(call, concerned) ?? ruleOnPawl(call, concerned)
  )
}

/** Pawl's own data and program: what only it, and what only a person may use. */
function ruleOnPawl(call: Call, concerned: GoodReading | null): Denial | null {
  const touched = privateFolderIn(call)
  if (touched !== null) return denySecret(touched)
  const agent = call.shell?.ok === true ? agentsCommandIn(call.shell) : null
  if (agent !== null) {
    const reason = `\`${shown(agent)}\` starts another agent, which this run would not control`
    const how = 'use the subagents of your host: the same rules apply to them'
    return { code: 'COMMAND_NOT_ALLOWED', reason, hint: how }
  }
  if (call.shell?.ok === true) {
    const name = madeNameIn(call.shell)
    if (name !== null) {
      const reason = `the program in \`${shown(name)}\` is only known when it runs`
      return { code: 'COMMAND_UNREADABLE', reason, hint: 'write the name of the program' }
    }
  }
  const command = concerned === null ? null : personsCommandIn(concerned)
  if (command === null) return null
  const reason = `\`${shown(command)}\` is for people: an agent cannot decide for itself`
  const how = 'wait for a person (`pawl wait`), or act as yourself: `pawl signal … --as agent`'
  return { code: 'PATH_PROTECTED', reason, hint: how }
}

function ruleOnChanges(call: Call, concerned: GoodReading | null): Denial | null {
  for (const { written, inside } of call.writes) {
    const path = inside ?? written
    if (isHeld(path) || isRepositoryHead(path)) return denyChange(path)
  }
  for (const path of call.edits) {
    if (isHeld(path) || isRepositoryHead(path)) return denyChange(path)
  }
  if (call.shell !== null) return ruleOnShell(call, call.shell, concerned)
  return isForeign(call) ? ruleOnValues(call) : null
}

/**
 * The file that makes a folder a git repository without `.git`: git follows the settings beside
 * it, and they name programs.
 */
function isRepositoryHead(path: string): boolean {
  return /(^|\/)HEAD$/i.test(path)
}

function ruleOnShell(
  call: Call,
  shell: ShellReading,
  concerned: GoodReading | null,
): Denial | null {
  const place = call.reads.find(({ written, inside }) => isHeld(inside ?? written))
  if (place !== undefined) return denyChange(place.written)
  const remover = shell.ok ? workspaceRemover(shell, call.workspace) : null
  if (remover !== null) return denyRemoval(remover)
  const held = concerned === null ? null : protectedBy(concerned, call.workspace)
  if (held !== null) return denyChange(held)
  const patch = shell.ok ? unreadPatchIn(shell) : null
  if (patch !== null) return denyPatch(patch)
  if (shell.ok && shell.hidden.length === 0) return null
  const text = textsOf(call.input).join('\n')
  if (text.length > mentionCharsMax) return denyLong()
  if (mentionsProtected(withoutValues(text))) return denyUnclear()
  if (shell.ok) return null
  // WHY always: bash runs the lines before what it cannot parse, and some of what we cannot.
  return text.length > commandCharsMax ? denyLong() : denyUnreadable(shell)
}

function denyRemoval(command: string): Denial {
  const reason = `\`${shown(command)}\` could remove the whole workspace`
  return { code: 'PATH_PROTECTED', reason, hint: 'name the files and folders that are to go' }
}

function denyPatch(command: string): Denial {
  const reason = `\`${shown(command)}\` applies a patch whose files are not in the command`
  const how = "put the patch into the command: `git apply <<'EOF'`, or use your edit tool"
  return { code: 'PATH_PROTECTED', reason, hint: how }
}

/** The longest text that is searched for names. */
const mentionCharsMax = 262_144

function denyLong(): Denial {
  const reason = 'the command is too long to be analyzed'
  return { code: 'COMMAND_UNREADABLE', reason, hint: 'write long texts with your edit tool' }
}

function textsOf(input: Json): readonly string[] {
  const texts: string[] = []
  visit(input, (text) => texts.push(text))
  return texts
}

function isForeign(call: Call): boolean {
  return call.act === 'mcp' || call.act === 'other'
}

/** A stranger's tool says by its keys what is a path; only protected ones matter here. */
function ruleOnValues(call: Call): Denial | null {
  if (isReader(call)) return null
  let held: string | null = null
  const isSeen = visit(call.input, (text, key) => {
    if (held === null && isPathKey(key) && isHeld(text)) held = text
  })
  if (held !== null) return denyChange(held)
  return isSeen ? null : denyUnclear()
}

/** Shows every text of a value with the key it stands under; false: there are too many. */
function visit(value: Json, see: (text: string, key: string) => void): boolean {
  const open: { readonly value: Json; readonly key: string }[] = [{ value, key: '' }]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1
    if (count > valuesMax) return false
    const { value: one, key } = next
    if (typeof one === 'string') see(one, key)
    else if (Array.isArray(one)) for (const item of one) open.push({ value: item, key })
    else {
      const fields = asObject(one)
      if (fields === null) continue
      for (const [name, member] of Object.entries(fields)) open.push({ value: member, key: name })
    }
  }
  return true
}

function ruleOnSecrets(call: Call, concerned: GoodReading | null): Denial | null {
  const isSearch = call.act === 'search'
  for (const { written, inside } of call.reads) {
    const path = inside ?? written
    if (isSecretPath(path) || (isSearch && isSecretDirectory(path))) return denySecret(written)
  }
  const word = concerned === null ? null : secretPathIn(concerned)
  return word === null ? null : denySecret(word)
}

const hint = 'leave it as it is; a person can change it outside the run'

function denyChange(path: string): Denial {
  const why = 'it guards this run, or can run code on its own'
  const reason = `\`${shown(path)}\` is protected: ${why}`
  return { code: 'PATH_PROTECTED', reason, hint }
}

function denyUnclear(): Denial {
  const reason = 'this call mentions a protected file, and what it does with it is unclear'
  return {
    code: 'PATH_PROTECTED',
    reason,
    hint: 'write it so that it can be analyzed, without that file',
  }
}

function denySecret(path: string): Denial {
  const reason = `\`${shown(path)}\` is protected: it holds secrets or hooks of Pawl`
  return {
    code: 'PATH_PROTECTED',
    reason,
    hint: 'use the tools of Pawl to see the state of the run',
  }
}

function shown(path: string): string {
  const text = path.length > 120 ? `${path.slice(0, 120)}…` : path
  return JSON.stringify(text).slice(1, -1)
}
