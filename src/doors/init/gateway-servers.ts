/**
 * Moves the MCP servers of a host behind Pawl's gateway, and back. What is taken out of the host's
 * file is recorded and added to `.pawl/gateway.json`, so that it can be restored exactly. Does not
 * write files.
 */
import { asObject, equalJson, type Json, type JsonObject } from '../../core/json.ts'
import { addMember, nodeOn, removeValue } from '../../core/source/edit-json.ts'
import { readSource } from '../../core/source/read-source.ts'
import { plainValue } from '../../core/source/source.ts'
import { gatewayServer } from '../../core/tools/mcp-name.ts'
import type { DesiredFile, SettingsEntry } from './desired-files.ts'
import type { Moved } from './install.ts'
import { serverName } from './pawl-entries.ts'

/** Where the servers of a workspace stand that are behind the gateway. */
export const gatewayPath = '.pawl/gateway.json'

type MoveResult = {
  readonly wanted: readonly DesiredFile[]
  readonly moved: readonly Moved[]
  readonly remarks: readonly string[]
}

type Moving = {
  readonly wanted: readonly DesiredFile[]
  /** What a file would be without us. */
  readonly baseOf: (file: DesiredFile) => string | null
  /** What `.pawl/gateway.json` is. */
  readonly gateway: string | null
}

/** What is wanted when the servers of a host stand behind the gateway. */
export function moveServers({ wanted, baseOf, gateway }: Moving): MoveResult {
  const moved: Moved[] = []
  const remarks: string[] = []
  const taken = new Map(Object.entries(serversIn(gateway, 'mcpServers')))
  const files = wanted.map((file): DesiredFile => {
    const { content, path } = file
    if (content.kind !== 'json') {
      if (content.kind === 'block')
        remarks.push(`the servers in \`${path}\` are not moved: ${byHand}`)
      return file
    }
    const own = content.entries.find((one) => one.kind === 'member' && one.path[1] === serverName)
    const key = own?.path[0]
    const more: SettingsEntry[] = enabledEntries(content.entries)
    if (own !== undefined && key !== undefined) {
      const found = serversIn(baseOf(file), key)
      for (const [name, value] of Object.entries(found)) {
        if (name === serverName || name === gatewayServer) continue
        const entry = entryOf(asObject(value) ?? {}, key)
        if (typeof entry === 'string') {
          remarks.push(`the server \`${name}\` in \`${path}\` is not moved: ${entry}`)
          continue
        }
        const as = nameFor(name, entry, taken)
        taken.set(as, entry)
        moved.push({ file: path, key, name, value, as, entry })
        more.push({ kind: 'drop', path: [key, name] })
      }
      more.push({ kind: 'member', path: [key, gatewayServer], value: asGateway(own) })
    }
    return { ...file, content: { ...content, entries: [...content.entries, ...more] } }
  })
  return { wanted: files, moved, remarks }
}

const byHand = 'move them by hand (see docs/reference/gateway.md)'

/** Claude Code asks about servers of a project, unless they are named in its settings. */
function enabledEntries(entries: readonly SettingsEntry[]): SettingsEntry[] {
  return entries.flatMap((one) =>
    one.kind === 'item' && one.value === serverName ? [{ ...one, value: gatewayServer }] : [],
  )
}

function serversIn(text: string | null, key: string): JsonObject {
  if (text === null || text.trim() === '') return {}
  const { root } = readSource(text, 'json')
  const settings = root === null ? null : asObject(plainValue(root))
  return asObject(settings?.[key]) ?? {}
}

/** The entry of Pawl's own server with the other word in it. */
function asGateway(own: SettingsEntry): Json {
  const server = 'value' in own ? (asObject(own.value) ?? {}) : {}
  const change = (words: Json | undefined): Json | undefined => {
    if (!Array.isArray(words)) return words
    const at = words.indexOf('mcp')
    return words.map((word: Json, i) => (i === at ? 'gateway' : word))
  }
  const { args, command } = { args: change(server.args), command: change(server.command) }
  return {
    ...server,
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
  }
}

/** A host's entry as the gateway takes it; a text: why it can not. */
function entryOf(value: JsonObject, key: string): JsonObject | string {
  if (value.disabled === true || value.enabled === false) return 'it is disabled'
  return key === 'mcp' ? fromOpencode(value) : fromPlain(value)
}

function fromPlain(value: JsonObject): JsonObject | string {
  const { command, args, env, cwd, url, httpUrl, headers, type } = value
  if (typeof command === 'string') {
    return { command, ...given({ args, env, cwd }) }
  }
  // Gemini CLI: `url` is the older transport, `httpUrl` the newer one.
  const address = httpUrl ?? (type === 'sse' || type === undefined ? undefined : url)
  if (typeof address === 'string') return { type: 'http', url: address, ...given({ headers }) }
  return 'the gateway supports only programs and Streamable HTTP'
}

function fromOpencode(value: JsonObject): JsonObject | string {
  const { type, command, environment, url, headers } = value
  if (type === 'remote' && typeof url === 'string') {
    return expanded({ type: 'http', url, ...given({ headers }) })
  }
  if (!Array.isArray(command)) return 'it has no program'
  const [program, ...args] = command
  return expanded({ command: program, args, ...given({ env: environment }) })
}

/** opencode writes `{env:NAME}` where others write `${NAME}`. */
function expanded(entry: JsonObject): JsonObject {
  const text = JSON.stringify(entry).replace(/\{env:([A-Za-z_]\w*)\}/g, '$${$1}')
  return JSON.parse(text) as JsonObject
}

function given(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as JsonObject
}

/** The same server of two hosts is one; another one of the same name gets another name. */
function nameFor(name: string, entry: JsonObject, taken: ReadonlyMap<string, Json>): string {
  const plain = name.replace(/[^A-Za-z0-9-]+/g, '-').replace(/^-+|-+$/g, '')
  const base = plain.slice(0, 26) || 'server'
  for (let count = 1; ; count += 1) {
    const next = count === 1 ? base : `${base}-${count}`
    const there = taken.get(next)
    if (there === undefined || equalJson(there, entry)) return next
  }
}

/** The text of a host's file with the servers that were moved from it. */
export function withMoved(text: string, moved: readonly Moved[]): string {
  let next = text
  for (const { key, name, value } of moved) next = addMember(next, [key, name], value) ?? next
  return next
}

/** `.pawl/gateway.json` with these servers. */
export function gatewayWith(text: string | null, moved: readonly Moved[]): string | null {
  let next = text === null || text.trim() === '' ? '{}\n' : text
  for (const { as, entry } of moved) next = addMember(next, ['mcpServers', as], entry) ?? next
  return moved.length === 0 ? text : next
}

/** `.pawl/gateway.json` without them; null: nothing would be left. */
export function gatewayWithout(text: string | null, moved: readonly Moved[]): string | null {
  let next = text
  for (const { as } of moved) {
    next = next === null ? null : (removeValue(next, ['mcpServers', as]) ?? next)
  }
  if (next === null || next === text) return text
  const { root } = readSource(next, 'json')
  const left = root === null ? null : asObject(plainValue(root))
  const isBare = left !== null && Object.keys(left).length === 0 && !/\/[/*]/.test(next)
  return isBare ? null : next
}

/** Whether a text still has something that is to be taken out. */
export function hasDropped(text: string, entries: readonly SettingsEntry[]): boolean {
  const { root } = readSource(text, 'json')
  if (root === null) return false
  return entries.some((one) => one.kind === 'drop' && nodeOn(root, one.path) !== null)
}
