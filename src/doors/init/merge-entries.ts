/**
 * Adds, removes and finds our entries in the text of a settings file. Everything else stays as it
 * is; a file that cannot be parsed is an error, and nothing is changed.
 */
import { asObject, type Json } from '../../core/json.ts'
import { addItem, addMember, nodeOn, removeValue } from '../../core/source/edit-json.ts'
import { readSource } from '../../core/source/read-source.ts'
import { type Node, plainValue, positionAt, positionOf } from '../../core/source/source.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import type { DesiredFile, SettingsEntry } from './desired-files.ts'
import { addBlock, blockIn, removeBlock } from './marked-block.ts'
import { pawlEntriesIn, pawlValue } from './pawl-entries.ts'
import { faultOfHooks, ownHooks, removeHooks } from './toml-hooks.ts'
import { checkAdded } from './toml-text.ts'

/** How our entries are kept in a file; a block without a name: whichever comes first. */
export type Shape =
  | { readonly kind: 'json' | 'tables' | 'whole' }
  | { readonly kind: 'block'; readonly name: string | null }

type Merged = { readonly text: string; readonly remarks: readonly string[] }

/** A file that is wanted, with the text it is to be merged into; null: there is none yet. */
export function mergeEntries({ path, content }: DesiredFile, base: string | null): Merged {
  switch (content.kind) {
    case 'json':
      return mergeJson(path, content.entries, base)
    case 'block': {
      const { name, lines, rival } = content
      const found = rival?.exec(base ?? '')
      if (found) throw inTheWay(path, base ?? '', { offset: found.index, what: found[0].trim() })
      const text = addBlock(base ?? '', name, lines)
      if (path.endsWith('.toml')) checkAdded({ path, text }, base ?? '', lines.join('\n'))
      return { text, remarks: [] }
    }
    case 'tables':
      return { text: withTables(path, content, base ?? ''), remarks: [] }
    case 'whole':
      if (base === null || base.trim() === '') return { text: content.text, remarks: [] }
      throw inTheWay(path, base, { offset: 0, what: path })
  }
}

/** The text without our entries; null: nothing would be left of it. */
export function stripEntries(path: string, shape: Shape, text: string): string | null {
  switch (shape.kind) {
    case 'json':
      return stripJson(path, text)
    case 'block':
      return removeBlock(text, { path, name: shape.name })
    case 'tables':
      return removeHooks({ path, text })
    case 'whole':
      return isOwnText(text) ? null : text
  }
}

/** Our entries in a text as one value; null: it has none. */
export function ownOf(path: string, shape: Shape, text: string): Json {
  switch (shape.kind) {
    case 'json': {
      const own = pawlValue(readSettings(path, text))
      return Array.isArray(own) && own.length === 0 ? null : own
    }
    case 'block':
      return blockIn(text, { path, name: shape.name })?.text ?? null
    case 'tables':
      return ownHooks({ path, text })
    case 'whole':
      return isOwnText(text) ? text : null
  }
}

/** Whether nothing but what a host needs anyway is left in a file of settings. */
export function isBare(path: string, { kind }: Shape, text: string): boolean {
  if (text.trim() === '') return true
  if (kind !== 'json') return false
  const names = Object.keys(asObject(readSettings(path, text)) ?? {})
  // WHY the comments: somebody has written them.
  const hasComment = /^\s*(?:\/\/|\/\*)/m.test(text)
  return !hasComment && names.every((name) => /^(?:\$?version|\$schema)$/.test(name))
}

/** What is in every file that is ours as a whole. */
export const ownMark = 'written by `pawl init`'

function isOwnText(text: string): boolean {
  return text.includes(ownMark)
}

type Tables = Extract<DesiredFile['content'], { readonly kind: 'tables' }>

function withTables(path: string, { name, lines }: Tables, base: string): string {
  const text = addBlock(base, name, lines)
  checkAdded({ path, text }, base, lines.join('\n'))
  const fault = faultOfHooks({ path, text })
  if (fault === null) return text
  throw new PawlError('CONFIG_INVALID', `${path}: ${fault}, so the host would run no hook at all`, {
    hint: 'fix it and try again. Nothing was written',
  })
}

function mergeJson(path: string, entries: readonly SettingsEntry[], base: string | null): Merged {
  let text = base === null || base.trim() === '' ? '{}\n' : base
  readSettings(path, text)
  const remarks: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'drop') {
      text = removeValue(text, entry.path) ?? text
      continue
    }
    const there = entry.kind === 'item' ? null : nodeOn(rootOf(path, text), entry.path)
    if (there !== null) {
      if (entry.kind === 'offer') remarks.push(entry.otherwise)
      if (entry.kind !== 'member') continue
      const what = `\`${entry.path.join('.')}\``
      throw inTheWay(path, text, { offset: there.start, what })
    }
    const add = entry.kind === 'item' ? addItem : addMember
    const next = add(text, entry.path, entry.value)
    if (next === null) throw noPlace(path, text, entry)
    text = next
  }
  return { text, remarks }
}

function stripJson(path: string, text: string): string | null {
  if (text.trim() === '') return text
  let left = text
  for (;;) {
    const own = pawlEntriesIn(readSettings(path, left)).at(-1)
    const next = own === undefined ? null : removeValue(left, own.path)
    if (next === null) return left
    left = next
  }
}

function readSettings(path: string, text: string): Json {
  return text.trim() === '' ? {} : plainValue(rootOf(path, text))
}

function rootOf(path: string, text: string): Node {
  const { root, findings } = readSource(text, 'json')
  const [damage] = findings.filter((one) => one.severity === 'error')
  if (damage !== undefined) {
    const offset = positionOf(root, damage)?.start ?? 0
    throw damaged(path, text, { offset, what: damage.message })
  }
  if (root?.kind === 'object') return root
  throw damaged(path, text, { offset: 0, what: 'it is not a JSON object' })
}

type Spot = { readonly offset: number; readonly what: string }

function placeText(path: string, text: string, offset: number): string {
  const { line, column } = positionAt(text, offset)
  return `${path}:${line}:${column}`
}

function damaged(path: string, text: string, { offset, what }: Spot): PawlError {
  const message = `${placeText(path, text, offset)}: ${what}`
  return new PawlError('CONFIG_INVALID', message, {
    hint: 'the host cannot read this file either; fix it and try again. Nothing was written',
  })
}

function inTheWay(path: string, text: string, { offset, what }: Spot): PawlError {
  const message = `${placeText(path, text, offset)}: ${what} already exists and is not Pawl's`
  return new PawlError('CONFIG_INVALID', message, {
    hint: 'rename or remove it and try again. Nothing was written',
  })
}

function noPlace(path: string, text: string, { path: at }: SettingsEntry): PawlError {
  const message = `${placeText(path, text, 0)}: \`${at.join('.')}\` cannot be added`
  return new PawlError('CONFIG_INVALID', message, {
    hint: `\`${at[0]}\` does not have the type that the host expects. Nothing was written`,
  })
}
