/** Settings that are TOML: what a text says, and whether an addition leaves the rest as it was. */
import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError } from 'smol-toml'
import { asObject, type Json, type JsonObject } from '../../core/json.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

/** A text with the path that messages name. */
export type TomlText = { readonly path: string; readonly text: string }

/** What a text says; an error with its place where it cannot be parsed. */
export function readToml({ path, text }: TomlText): JsonObject {
  try {
    // WHY the cast: it has dates beside the values of JSON, which are only compared here.
    return parse(text) as JsonObject
  } catch (fault) {
    if (!(fault instanceof TomlError)) throw fault
    const [what = ''] = fault.message.replace('Invalid TOML document: ', '').split('\n')
    throw new PawlError('CONFIG_INVALID', `${path}:${fault.line}:${fault.column}: ${what}`, {
      hint: 'the host cannot read this file either; fix it and try again. Nothing was written',
    })
  }
}

/** Whether a text says just this. */
export function saysToml(text: string, value: JsonObject): boolean {
  try {
    return isDeepStrictEqual(parse(text), value)
  } catch {
    return false
  }
}

/** Fails unless a text says what it said before, our lines beside that, and nothing else. */
export function checkAdded({ path, text }: TomlText, before: string, lines: string): void {
  const ours = readToml({ path, text: lines })
  if (saysToml(text, joined(readToml({ path, text: before }), ours))) return
  const name = Object.keys(ours).join('`, `')
  throw new PawlError('CONFIG_INVALID', `${path}: Pawl's \`${name}\` cannot stand beside yours`, {
    hint: `write \`${name}\` as tables with headers of their own. Nothing was written`,
  })
}

function joined(one: JsonObject, more: JsonObject): JsonObject {
  const all: Record<string, Json> = { ...one }
  for (const [name, value] of Object.entries(more)) {
    const there = all[name] ?? null
    const [left, right] = [asObject(there), asObject(value)]
    if (Array.isArray(there) && Array.isArray(value)) all[name] = [...there, ...value]
    else all[name] = left !== null && right !== null ? joined(left, right) : value
  }
  return all
}
