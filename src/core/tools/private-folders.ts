/**
 * Folders that nobody but Pawl may touch, wherever they are: its data directory holds the tokens,
 * the database and the socket. The runtime says which they are; names that are always protected
 * are in `protected-files.ts`.
 */
import type { Call, CallPath } from '../engine/types.ts'
import type { Json } from '../json.ts'
import { asObject } from '../json.ts'
import type { SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'
import { baseNameOf, isBelow, type ResolvedPath, resolvedPaths } from './paths.ts'

/** Programs that take a folder with everything in it. */
const takers = /^(?:g?(?:tar|cp|mv|rm|find|chmod|chown)|rsync|zip|grep|rg|egrep|fgrep|scp)$/

/** What a call touches of the guarded folders; null: nothing. */
export function privateFolderIn(call: Call): string | null {
  const folders = call.guarded ?? []
  if (folders.length === 0) return null
  const bases = folders.map(baseNameOf)
  for (const path of [...call.reads, ...call.writes]) {
    if (isTouched(path, call, bases)) return path.written
  }
  if (call.shell !== null) return inShell(call, { folders, bases })
  return call.act === 'mcp' || call.act === 'other' ? inValues(call.input, folders) : null
}

function isTouched(
  { written, inside }: CallPath,
  call: Call,
  bases: readonly ResolvedPath[],
): boolean {
  const { workspace } = call
  const places = resolvedPaths(inside ?? written, { workspace })
  const isSearch = call.act === 'search'
  return places.some((place) =>
    bases.some((base) => isBelow(place, base) || (isSearch && isBelow(base, place))),
  )
}

type Guarded = { readonly folders: readonly string[]; readonly bases: readonly ResolvedPath[] }

function inShell(call: Call, { folders, bases }: Guarded): string | null {
  // However it is meant: who writes the whole path of such a folder speaks of it.
  const named = inValues(call.input, folders)
  if (named !== null || call.shell?.ok !== true) return named
  for (const command of call.shell.commands) {
    const word = touchedBy(command, call.workspace, bases)
    if (word !== null) return word
  }
  const redirected = call.shell.redirections.find(({ target, dirs }) => {
    const places = target === null ? [] : placesFrom(target, { workspace: call.workspace, dirs })
    return places.some((place) => bases.some((base) => isBelow(place, base)))
  })
  return redirected?.text ?? null
}

function touchedBy(
  { words, starts, wild, dirs }: SimpleCommand,
  workspace: string,
  bases: readonly ResolvedPath[],
): string | null {
  const takesFolders = takers.test(baseName(words[0] ?? ''))
  for (let i = 1; i < words.length; i += 1) {
    // An option may hold a path behind `=`, data behind `@`.
    const known = (words[i] ?? starts[i] ?? '').replace(/^-[^=]*=|^@/, '')
    const isOpen = wild[i] === true || words[i] === null
    const text = isOpen ? known.replace(/[*?[{$].*$/s, '') : known
    if (text === '' || (text.startsWith('-') && !isOpen)) continue
    for (const place of placesFrom(text, { workspace, dirs })) {
      const hit = bases.some((base) => {
        if (isBelow(place, base)) return true
        // What a pattern or a value goes on with may be the folder.
        if (isOpen) return couldBecome(place, base, text)
        return takesFolders && isBelow(base, place)
      })
      if (hit) return words[i] ?? text
    }
  }
  return null
}

function couldBecome(place: ResolvedPath, base: ResolvedPath, text: string): boolean {
  if (!text.startsWith('/') && !text.startsWith('.')) return false
  if (text.endsWith('/')) return isBelow(base, place)
  const last = place.at(-1) ?? ''
  const above = place.slice(0, -1)
  return isBelow(base, above) && (base[above.length] ?? '').startsWith(last)
}

type Here = { readonly workspace: string; readonly dirs: SimpleCommand['dirs'] }

function placesFrom(text: string, { workspace, dirs }: Here): readonly ResolvedPath[] {
  if (text.startsWith('/')) return resolvedPaths(text, { workspace })
  return dirs.flatMap((dir) => {
    // Where nobody knows the folder, only whole paths tell.
    if (dir === null) return []
    return resolvedPaths(text, { workspace, cwd: dir === '' ? null : dir })
  })
}

/** Values of an input that are looked at. */
const valuesMax = 20_000

/** The folder that a text of the input names; null: none does. */
function inValues(input: Json, folders: readonly string[]): string | null {
  const open: Json[] = [input]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1
    const text = next
    if (count > valuesMax) return 'too many values'
    if (typeof text === 'string') {
      const found = folders.find((folder) => text.includes(folder))
      if (found !== undefined) return found
    } else if (Array.isArray(text)) open.push(...text)
    else open.push(...Object.values(asObject(text) ?? {}))
  }
  return null
}
