/**
 * The answer of a stage to a shell command: its list of commands, its variables, and whether a
 * shell may write where the agent may not.
 */
import type { Call } from '../engine/types.ts'
import { asObject, type JsonObject, own } from '../json.ts'
import type { Machine, Stage } from '../machine/machine.ts'
import { entriesOf } from '../shell/command-list-entries.ts'
import { isOutside, seenFrom } from '../shell/leaves-workspace.ts'
import { denyUnreadable } from '../shell/quote-command.ts'
import { readShell } from '../shell/read-shell.ts'
import { withVariables } from '../shell/rewrite-command.ts'
import { ruleOnCommands, ruleOnExports } from '../shell/rule-on-commands.ts'
import { ruleOnEnv } from '../shell/rule-on-env.ts'
import { ruleOnShellWrites } from '../shell/rule-on-shell-writes.ts'
import type { Redirection, ShellReading } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import { withText } from '../tools/shell-input.ts'
import { actOfShape, namesMatch, startsJob } from '../tools/tool-names.ts'
import { withoutReadCommands } from './rule-on-read-commands.ts'
import type { StageDenial } from './stage-denial.ts'

/** The commands that a stage's list has to speak of; null: there are none, or no list. */
export function listedShell(stage: Stage, call: Call): ShellReading | null {
  return stage.rule.commands === null ? null : (call.shell ?? namedShell(stage, call))
}

type ListedCall = { readonly machine: Machine; readonly stage: Stage; readonly call: Call }

/** The denial of a call with a command that is not on the stage's list. */
export function ruleOnShell(asked: ListedCall): StageDenial | null {
  return isUnlimited(asked.stage) ? null : listDenial(asked)
}

function listDenial(asked: ListedCall): StageDenial | null {
  const { stage, call } = asked
  const { commands } = stage.rule
  const shell = listedShell(stage, call)
  if (commands === null || shell === null) return null
  const denial =
    ruleOnCommands(withoutReadCommands(asked, shell), commands, call.workspace) ??
    ruleOnExports(shell, commands, Object.keys(stage.rule.envSet))
  return denial === null ? null : { ...denial, field: 'commands' }
}

/** `*` alone is on the list: what no other entry allows is judged as if there were no list. */
export function isUnlimited({ rule }: Stage): boolean {
  return rule.commands !== null && entriesOf(rule.commands).isUnlimited
}

/**
 * The denial of a text that names a program which the stage denies, or that may name any. WHY only
 * what is named: what a script starts shows when it runs, and there the box holds it.
 */
export function ruleOnPrograms({ name, rule }: Stage, { shell }: Call): StageDenial | null {
  if (shell === null || rule.programsDenied === undefined) return null
  const field = 'programs'
  if (!shell.ok) return { ...denyUnreadable(shell), field }
  const denied: ReadonlySet<string> = new Set(rule.programsDenied)
  const found = shell.commands.find(({ words: [word = null] }) => {
    return word !== null && denied.has(baseName(word))
  })
  const code = 'COMMAND_NOT_ALLOWED'
  if (found !== undefined) {
    const reason = `\`${baseName(found.words[0] ?? '')}\` may not be started in \`${name}\``
    return { code, reason, hint: '', field }
  }
  const hidden = shell.hidden.find(({ kind }) => kind === 'code')
  if (hidden === undefined) return null
  const reason = `\`${hidden.token}\` may start a program that is denied in \`${name}\``
  const hint = 'write the command so that it can be analyzed before it runs'
  return { code, reason, hint, field }
}

/** The tool whose commands the author lists runs a shell, whatever the guard knows of it. */
function namedShell({ rule }: Stage, call: Call): ShellReading | null {
  if (rule.commands === null || !namesMatch(rule.commandTool, call)) return null
  const { command } = call.input
  if (typeof command === 'string') return readShell(command)
  return { ok: false, reason: 'its input has no command', token: '' }
}

/** The denial of a call whose command reads or sets variables that it may not. */
export function ruleOnVariables(stage: Stage, call: Call): StageDenial | null {
  const { shell, input } = call
  if (shell === null) return null
  // WHY: a job has no variables but those it is given, so there is none to be read.
  const given = startsJob(call) ? blockedIn(stage, input) : undefined
  if (given !== undefined) {
    const reason = `\`${given}\` is blocked here`
    return { code: 'ENV_BLOCKED', reason, hint: 'leave it out', field: 'envBlocked' }
  }
  const blocked = startsJob(call) ? [] : stage.rule.envBlocked
  const overridden = Object.keys(stage.rule.envSet)
  if (blocked.length + overridden.length === 0) return null
  if (withText(input, (text) => text) === null) {
    const isBlocked = blocked[0] !== undefined
    const what = isBlocked
      ? `\`${blocked[0]}\` cannot be removed`
      : `\`${overridden[0]}\` cannot be set`
    const reason = `${what} for a command sent in this form`
    const field = isBlocked ? 'envBlocked' : 'envSet'
    return { code: 'ENV_BLOCKED', reason, hint: 'send the command as one string', field }
  }
  const set = ruleOnEnv(shell, { blocked: [], overridden })
  if (set !== null) return { ...set, field: 'envSet' }
  const read = ruleOnEnv(shell, { blocked, overridden: [] })
  return read === null ? null : { ...read, field: 'envBlocked' }
}

function blockedIn({ rule }: Stage, input: JsonObject): string | undefined {
  const given = asObject(own(input, 'environment')) ?? {}
  return rule.envBlocked.find((name) => own(given, name) !== undefined)
}

/**
 * The denial of a call that writes by a shell what the stage's tools may not. With a list, what is
 * listed may write by itself, and a redirection is a write like any other.
 */
export function ruleOnWrites(asked: ListedCall): StageDenial | null {
  const { stage, call } = asked
  const shell = call.shell ?? namedShell(stage, call)
  if (shell === null) return null
  const isListed = stage.rule.commands !== null
  if (isListed && !(isUnlimited(stage) && listDenial(asked) !== null)) {
    return ruleOnRedirections(stage, call, shell)
  }
  const denial = mayWrite(stage) ? null : ruleOnShellWrites(shell)
  return denial === null ? null : { ...denial, field: unwritingField(stage) }
}

/** The list of tools that keeps the agent from writing. */
function unwritingField({ rule }: Stage): 'allow' | 'deny' {
  return rule.tools.deny.some(isWriting) ? 'deny' : 'allow'
}

function ruleOnRedirections(stage: Stage, call: Call, shell: ShellReading): StageDenial | null {
  if (!shell.ok) return null
  const strayed = shell.redirections.find((one) => one.kind === 'read' && strays(one, call))
  if (strayed !== undefined) {
    const reason = `\`${strayed.text}\` reads a file outside the workspace`
    const hint = 'read a file inside the workspace'
    return { code: 'PATH_OUT_OF_SCOPE', reason, hint, field: 'commands' }
  }
  const written = shell.redirections.filter(
    (one) => one.kind === 'write' && !isHarmless(one.target),
  )
  const [first] = written
  if (first === undefined) return null
  if (!mayWrite(stage)) {
    const reason = `\`${first.text}\` writes a file, and \`${stage.name}\` allows no writing`
    const hint = 'drop the redirection; you get the output anyway'
    return { code: 'SHELL_WRITE_NOT_ALLOWED', reason, hint, field: unwritingField(stage) }
  }
  const outside = call.writes.find((path) => path.inside === null)
  if (outside === undefined) return null
  const reason = `\`${outside.written}\` is outside the workspace`
  const hint = 'write inside the workspace'
  return { code: 'PATH_OUT_OF_SCOPE', reason, hint, field: 'commands' }
}

/** Devices aside, what is read by name is inside the workspace. */
function strays({ target, dirs }: Redirection, call: Call): boolean {
  if (target === null) return false
  if (/^\/dev\/(null|stdin|zero|urandom|random|tty|fd\/\d+)$/.test(target)) return false
  return seenFrom(dirs, target).some((path) => path !== null && isOutside(path, call.workspace))
}

function isHarmless(target: string | null): boolean {
  return target === '/dev/null' || target === '/dev/stdout' || target === '/dev/stderr'
}

/** Whether the agent may change files here with a tool of its own. */
export function mayWrite(stage: Stage): boolean {
  const { allow, deny } = stage.rule.tools
  return (allow === 'all' || allow.some(isWriting)) && !deny.some(isWriting)
}

function isWriting(name: string): boolean {
  const act = actOfShape(name)
  return act === 'edit' || act === 'write'
}

/** The input as it will really run: the stage's variables are removed and set in front of it. */
export function rewriteInput(stage: Stage, call: Call): JsonObject {
  const { envBlocked: blocked, envSet: set } = stage.rule
  if (call.shell === null || blocked.length + Object.keys(set).length === 0) return call.input
  return withText(call.input, (text) => withVariables(text, { blocked, set })) ?? call.input
}
