/**
 * Fills the placeholders of texts and arguments: `{{x}}`, `${x}`, `${x=default}`.
 * Knows scopes and JSON. Must not know expressions: a placeholder is a path, nothing else.
 */
import { type Json, type JsonObject, own } from '../json.ts'
import type { Scope } from './expression-types.ts'

/** The longest text that comes out of a template; what is beyond is cut and marked with `…`. */
export const renderedCharsMax = 100_000

// WHY: linear. The parts between the braces exclude braces, so no character is scanned twice.
const placeholder = /\{\{([^{}]*)\}\}|\$\{([^\s{}=.]+(?:\.[^\s{}=.]+)*)(?:=([^{}]*))?\}/g
const path = /^[^\s{}=.]+(?:\.[^\s{}=.]+)*$/

type Hole = { readonly path: readonly string[]; readonly fallback: string }
type Room = { left: number }

/** The text with its placeholders filled. Missing and null are empty, or the default. */
export function renderText(text: string, scope: Scope): string {
  return fill(text, scope, { left: renderedCharsMax })
}

/**
 * The arguments with the placeholders of all their texts filled. A text that is one placeholder
 * and nothing else becomes the value itself, with its type.
 */
export function renderArguments(value: JsonObject, scope: Scope): JsonObject {
  return renderMembers(value, scope, { left: renderedCharsMax })
}

/** The paths that a text reads, in order. */
export function placeholdersOf(text: string): string[][] {
  return [...text.matchAll(placeholder)].map((match) => [...holeOf(match).path])
}

function fill(text: string, scope: Scope, room: Room): string {
  let result = ''
  let end = 0
  for (const match of text.matchAll(placeholder)) {
    result += take(text.slice(end, match.index), room)
    const hole = holeOf(match)
    result += take(asText(lookUp(hole.path, scope), hole.fallback), room)
    end = match.index + match[0].length
  }
  return result + take(text.slice(end), room)
}

function renderMembers(value: JsonObject, scope: Scope, room: Room): JsonObject {
  // `fromEntries` defines instead of assigning, so `__proto__` stays an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, render(member, scope, room)]),
  )
}

function render(value: Json, scope: Scope, room: Room): Json {
  if (typeof value === 'string') return renderWhole(value, scope, room)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => render(item, scope, room))
  return renderMembers(value as JsonObject, scope, room)
}

function renderWhole(text: string, scope: Scope, room: Room): Json {
  const match = [...text.matchAll(placeholder)][0]
  if (match === undefined || match[0] !== text) return fill(text, scope, room)
  const hole = holeOf(match)
  const value = lookUp(hole.path, scope)
  if (value === undefined || value === null) return take(hole.fallback, room)
  if (typeof value !== 'object') return typeof value === 'string' ? take(value, room) : value
  const chars = JSON.stringify(value).length
  if (chars > room.left) return take(JSON.stringify(value), room)
  room.left -= chars
  return value
}

/** Double braces around anything but a path hold no name that could be known: they are empty. */
function holeOf(match: RegExpExecArray): Hole {
  const written = (match[1] ?? match[2] ?? '').trim()
  return { path: path.test(written) ? written.split('.') : [], fallback: match[3] ?? '' }
}

function take(text: string, room: Room): string {
  if (text.length <= room.left) {
    room.left -= text.length
    return text
  }
  const kept = text.slice(0, Math.max(0, room.left))
  const wasOpen = room.left >= 0
  room.left = -1
  return wasOpen ? `${kept}…` : ''
}

function asText(value: Json | undefined, fallback: string): string {
  if (value === undefined || value === null) return fallback
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value at a path. `vars`, `local` and `inputs` always mean the scopes. */
function lookUp(path: readonly string[], scope: Scope): Json | undefined {
  const [first, ...rest] = path
  if (first === undefined) return undefined
  let value: Json | undefined =
    first === 'vars' || first === 'local' || first === 'inputs'
      ? scope[first]
      : own(scope.vars, first)
  for (const key of rest) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined
    else value = own(value as JsonObject, key)
  }
  return value
}
