/**
 * Our hooks in the settings of Kimi Code: tables `[[hooks]]`, known by the command they run.
 * WHY not by the marks around them: Kimi Code may write its settings anew, without comments.
 */
import { kimiHost } from '../../core/hosts/kimi.ts'
import { asObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { positionAt } from '../../core/source/source.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { isMark } from './marked-block.ts'
import { isPawlHook } from './pawl-entries.ts'
import { readToml, saysToml, type TomlText } from './toml-text.ts'

/** Our hooks in a text; null: it has none. */
export function ownHooks(file: TomlText): Json {
  const ours = hooksIn(readToml(file)).filter(isPawlHook)
  // WHY a copy: somebody may have added a date, which is no JSON.
  return ours.length === 0 ? null : JSON.parse(JSON.stringify(ours))
}

/** The text without our hooks and marks; an error if anything else would change with them. */
export function removeHooks({ path, text }: TomlText): string {
  const { hooks, ...others } = readToml({ path, text })
  const all = hooksIn({ hooks: hooks ?? null })
  const theirs = all.filter((hook) => !isPawlHook(hook))
  const isWithout = hooks === undefined || (theirs.length === 0 && all.length > 0)
  const kept = all.length === theirs.length ? hooks : theirs
  const left = withoutOurs(text.split(/(?<=\n)/)).join('')
  if (saysToml(left, isWithout ? others : { ...others, hooks: kept ?? null })) return left
  const { line, column } = positionAt(text, Math.max(0, text.search(/pawl-hook|[<>]{3} pawl/)))
  const message = `${path}:${line}:${column}: these lines of Pawl's cannot be told from yours`
  throw new PawlError('CONFIG_INVALID', message, {
    hint: 'remove each hook whose command has `pawl-hook` by hand. Nothing was written',
  })
}

const eventNames = new Set(Object.values(kimiHost.events).flatMap((names) => listOf(names)))
const isText = (value: Json): boolean => typeof value === 'string'

/** What Kimi Code accepts in a hook. */
const form: Readonly<Record<string, (value: Json) => boolean>> = {
  event: (value) => typeof value === 'string' && eventNames.has(value),
  matcher: isText,
  command: (value) => isText(value) && value !== '',
  timeout: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 600,
}
const required = ['event', 'command']

/** Why Kimi Code drops all hooks of a text, ours with them; null: it does not. */
export function faultOfHooks(file: TomlText): string | null {
  const { hooks } = readToml(file)
  if (hooks === undefined) return null
  if (!Array.isArray(hooks)) return '`hooks` is not a list of tables'
  for (const [i, hook] of hooks.entries()) {
    const what = faultOfHook(asObject(hook))
    if (what !== null) return `number ${i + 1} of \`[[hooks]]\` ${what}`
  }
  return null
}

function faultOfHook(hook: JsonObject | null): string | null {
  if (hook === null) return 'is not a table'
  const missing = required.find((name) => !Object.hasOwn(hook, name))
  if (missing !== undefined) return `has no \`${missing}\``
  for (const [name, value] of Object.entries(hook)) {
    const accepts = own(form, name)
    if (accepts === undefined) return `has \`${name}\`, which Kimi Code does not know`
    if (!accepts(value)) return `has a \`${name}\` that Kimi Code does not accept`
  }
  return null
}

function listOf(names: readonly string[] | { readonly none: string }): readonly string[] {
  return 'none' in names ? [] : names
}

function hooksIn({ hooks }: JsonObject): readonly Json[] {
  return Array.isArray(hooks) ? hooks : []
}

const header = /^[ \t]*\[\[[ \t]*(?:hooks|"hooks"|'hooks')[ \t]*\]\][ \t]*(?:#.*)?\r?\n?$/
const member = /^[ \t]*["']?(?:event|matcher|command|timeout)["']?[ \t]*=/
const remark = /^[ \t]*#/

function withoutOurs(lines: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? ''
    const table = header.test(line) ? tableAt(lines, i) : [line]
    if (isOurTable(table)) {
      // What somebody has noted between our lines stays.
      kept.push(...table.filter((one) => remark.test(one) && !isMark(one)))
      i += table.length - 1
      const isGap = lines[i + 1]?.trim() === '' && (kept.at(-1) ?? '').trim() === ''
      if (isGap) i += 1
    } else if (!isMark(line)) kept.push(line)
  }
  return kept
}

/** A header with the lines below it, to the last one that has a member of a hook. */
function tableAt(lines: readonly string[], start: number): readonly string[] {
  let end = start + 1
  for (let i = end; i < lines.length; i += 1) {
    const line = lines[i] ?? ''
    if (member.test(line)) end = i + 1
    else if (line.trim() !== '' && !remark.test(line)) break
  }
  return lines.slice(start, end)
}

function isOurTable([first = '', ...members]: readonly string[]): boolean {
  if (!header.test(first)) return false
  try {
    return isPawlHook(readToml({ path: '', text: members.join('') }))
  } catch {
    return false
  }
}
