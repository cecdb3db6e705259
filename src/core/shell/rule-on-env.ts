/**
 * The rule on variables: what a stage blocks cannot be read, however it is spelled, and what it
 * sets cannot be set again. This checks the text; the runner controls the values.
 */
import type { Denial } from '../engine/types.ts'
import { anyOf } from './alternation-pattern.ts'
import { couldReadEnvironment } from './environment-files.ts'
import { interpretedCode } from './interpreters.ts'
import names from './names.json' with { type: 'json' }
import { denyUnreadable } from './quote-command.ts'
import type { GoodReading, ShellReading, SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

type EnvRule = {
  readonly blocked: readonly string[]
  readonly overridden: readonly string[]
}

/** The denial of a text that reads or sets what it may not. */
export function ruleOnEnv(reading: ShellReading, rule: EnvRule): Denial | null {
  if (rule.blocked.length === 0 && rule.overridden.length === 0) return null
  if (!reading.ok) return denyUnreadable(reading)
  return (
    ruleOnOtherUsers(reading) ??
    ruleOnOverridden(reading, rule) ??
    ruleOnBlocked(reading, rule.blocked)
  )
}

/** Programs that start a command as somebody else, with an environment of their own making. */
const otherUsers: ReadonlySet<string> = new Set('sudo su doas runuser pkexec'.split(' '))

/** What the stage sets would be lost there, and what it removes could come back. */
function ruleOnOtherUsers(reading: GoodReading): Denial | null {
  const found = reading.commands.find(({ words }) => otherUsers.has(baseName(words[0] ?? '')))
  if (found === undefined) return null
  const name = baseName(found.words[0] ?? '')
  const reason = `\`${name}\` builds its own environment, but variables are set or removed here`
  return denied(reason, `run it without \`${name}\``)
}

function ruleOnOverridden(reading: GoodReading, rule: EnvRule): Denial | null {
  if (rule.overridden.length === 0) return null
  const names = new Set(rule.overridden)
  const again = reading.variablesWritten.find((name) => names.has(name))
  if (again !== undefined) {
    const hint = 'drop it; it is already set for every command here'
    return denied(`\`${again}\` is set by the definition and cannot be set or removed`, hint)
  }
  if (reading.emptiesVariables) {
    return denied(
      'an empty environment would lose the variables that the definition sets',
      'run it without `-i`',
    )
  }
  const hidden = hiddenIn(reading)
  return hidden === undefined ? null : denied(`\`${hidden}\` could set any variable`, plainly)
}

const plainly = 'write the command so that it can be analyzed before it runs'

function denied(reason: string, hint: string): Denial {
  return { code: 'ENV_BLOCKED', reason, hint }
}

/** A script that nobody can read could do anything with a variable. */
function hiddenIn(reading: GoodReading): string | undefined {
  return reading.hidden.find((one) => one.kind === 'code')?.token
}

function ruleOnBlocked(reading: GoodReading, blocked: readonly string[]): Denial | null {
  if (blocked.length === 0) return null
  const hint = 'continue without its value; using the name as a plain word is fine'
  const direct = blocked.find((name) => reading.variablesRead.includes(name))
  if (direct !== undefined) return denied(`\`${direct}\` is blocked here`, hint)
  const prefix = reading.prefixesRead.find((start) =>
    blocked.some((name) => name.startsWith(start)),
  )
  if (prefix !== undefined) {
    return denied(`\`\${!${prefix}…}\` could show a blocked variable`, hint)
  }
  if (reading.listsVariables || couldReadEnvironment(reading)) {
    return denied('it would show the whole environment, part of which is blocked here', hint)
  }
  for (const command of reading.commands) {
    const shown = shownByCode(command, blocked)
    if (shown !== null) return denied(`the code reads ${shown}, which is blocked here`, hint)
  }
  const hidden = hiddenIn(reading)
  return hidden === undefined ? null : denied(`\`${hidden}\` could read any variable`, plainly)
}

/** Ways in which other languages reach the environment. */
const accessor = new RegExp(anyOf(names.environmentReaders, '\\b(?:', ')\\b|%ENV|\\$ENV\\b'), 'g')

/** A key behind the accessor that is complete: `["NAME"]`, `.NAME`, `{NAME}`, `('NAME'`. */
const key = new RegExp(names.environmentKey)

/** Where a name behind a dot is a variable, and not a method. */
const dotted = /^(process\.env|Bun\.env|import\.meta\.env|env|\$ENV)$/

/** What a piece of code shows of the environment; null: nothing that is blocked. */
function shownByCode(command: SimpleCommand, blocked: readonly string[]): string | null {
  for (const code of interpretedCode(command)) {
    const expanded = blocked.find((name) => new RegExp(`\\$\\{?${name}\\b`).test(code))
    if (expanded !== undefined && /sh|system|exec|popen|`/.test(code)) {
      return `\`${expanded}\``
    }
    for (const found of code.matchAll(accessor)) {
      if (isOnlyAWord(code, found, command)) continue
      const after = code.slice(found.index + found[0].length)
      const named = key.exec(after)
      const name = named?.[1] ?? (dotted.test(found[0]) ? named?.[2] : undefined)
      if (name === undefined) return 'the whole environment'
      if (blocked.includes(name)) return `\`${name}\``
    }
  }
  return null
}

/** `env` is a word of jq alone, and in quotes it is a text everywhere. */
function isOnlyAWord(code: string, found: RegExpMatchArray, command: SimpleCommand): boolean {
  const word = found[0]
  const at = found.index ?? 0
  const isJq = /(^|\/)(go)?(jq|yq)$/.test(command.words[0] ?? '')
  if (word === 'env') return !isJq || /[."'\w-]/.test(code[at - 1] ?? '')
  if (word === 'ENV') return isJq && !code.slice(0, at).endsWith('$')
  if (word === 'environ')
    return /import\s+$/.test(code.slice(Math.max(0, at - 20), at)) || code[at - 1] === '"'
  return false
}
