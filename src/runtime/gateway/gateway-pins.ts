/**
 * What a person has accepted about the servers behind a gateway: how each is started, and each of
 * its tools by a hash of everything that an agent sees of it. The first version is accepted as it
 * is; later changes and additions wait for a person.
 */
import { emptyRecord, type JsonObject, own } from '../../core/json.ts'
import { pinLaunch } from '../../core/tools/launch-pin.ts'
import { changeLines, pinTool, type ThingPin } from '../../core/tools/tool-pin.ts'
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { DocumentStore } from '../ports.ts'
import {
  type Acceptance,
  gatewayCollection,
  type Pin,
  type Pinned,
  type PinStatus,
  type ServerSight,
} from './gateway-port.ts'

export type PinsContext = {
  readonly store: DocumentStore
  readonly clock: Clock
  /** Puts on record what waits for a person now. */
  readonly warn: (whose: ServerSight['whose'], message: string) => Promise<void>
}

type Entry = {
  /** Hash of what was agreed to; null: nothing yet. */
  accepted: string | null
  seen: string
  about: string
  doubts: readonly string[]
  /** All that was seen, and all that was agreed to; null: nothing yet. */
  told: JsonObject
  agreed: JsonObject | null
}
type PinDocument = { launch: Entry; tools: Record<string, Entry> }

/** How often a document is tried that others write at the same time. */
const triesMax = 20
/** Tools of one server that are remembered; more are not shown. */
const toolsMax = 1_000

function keyOf(scope: string | null, server: string): string {
  return `pin:${scope ?? ''}:${server}`
}

/** Takes note of what a server is now, and says what of it may be used. */
export async function seeServer(context: PinsContext, sight: ServerSight): Promise<PinStatus> {
  const key = keyOf(sight.scope, sight.server)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const document = await context.store.readDocument(gatewayCollection, key)
    const before = document === null ? null : bookIn(document.data)
    const { book, news } = noteSight(before, sight)
    const data = JSON.stringify(book)
    if (data !== document?.data) {
      const expected = document?.version ?? 0
      const change = { collection: gatewayCollection, key, expected, data, at: context.clock.now() }
      if ((await context.store.writeDocuments([change])) === 'conflict') continue
    }
    if (sight.isSilent === true) return seenIn(book, sight)
    for (const message of news) await context.warn(sight.whose, message)
    return seenIn(book, sight)
  }
  throw conflict(sight.server)
}

function bookIn(data: string): PinDocument {
  // WHY the cast: nobody else writes these documents.
  const { launch, tools } = JSON.parse(data) as PinDocument
  return { launch, tools: Object.assign(emptyRecord<Entry>(), tools) }
}

type Noted = { readonly book: PinDocument; readonly news: readonly string[] }

function noteSight(before: PinDocument | null, sight: ServerSight): Noted {
  const news: string[] = []
  const { server, scope, launch } = sight
  const how = (entry: Entry): void => {
    const what = entry.accepted === null ? 'is not accepted yet' : 'has changed'
    news.push(`the launch of the MCP server \`${server}\` ${what}: ${waitText(server)}`)
  }
  // WHY not from a workspace: whoever writes its files would have programs started.
  const isOwn = scope === null
  const next: PinDocument = {
    launch: noteThing(before?.launch, pinLaunch(launch), { isTrusted: isOwn, onWait: how }),
    tools: before?.tools ?? emptyRecord<Entry>(),
  }
  if (sight.tools === null) return { book: next, news }
  const tools = Object.assign(emptyRecord<Entry>(), next.tools)
  const isFirst = Object.keys(tools).length === 0
  for (const { tool, definition } of sight.tools.slice(0, toolsMax)) {
    const known = own(tools, tool)
    const onWait = ({ accepted }: Entry): void => {
      const what = accepted === null ? 'is new' : 'has changed its description'
      const name = `${server}:${tool}`
      news.push(`the tool \`mcp:${name}\` ${what}: ${waitText(name)}`)
    }
    tools[tool] = noteThing(known, pinTool(definition), { isTrusted: isFirst, onWait })
  }
  return { book: { ...next, tools }, news }
}

function waitText(name: string): string {
  return `a person must accept it (\`pawl gateway accept ${name}\`)`
}

type Manner = {
  /** What is seen is taken as it is, unless there are doubts. */
  readonly isTrusted: boolean
  /** Hears of what waits for a person from now on. */
  readonly onWait: (entry: Entry) => void
}

function noteThing(known: Entry | undefined, thing: ThingPin, manner: Manner): Entry {
  const { hash, about, doubts, told } = thing
  if (known !== undefined && known.seen === hash) return known
  const accepted = known?.accepted ?? null
  const isTaken = manner.isTrusted && doubts.length === 0
  const entry = {
    accepted: isTaken ? hash : accepted,
    seen: hash,
    about,
    doubts,
    told,
    agreed: isTaken || hash === accepted ? told : (known?.agreed ?? null),
  }
  if (entry.accepted !== hash) manner.onWait(entry)
  return entry
}

function isAccepted({ accepted, seen }: Entry): boolean {
  return accepted === seen
}

function seenIn({ launch, tools }: PinDocument, sight: ServerSight): PinStatus {
  const names = (sight.tools ?? []).map(({ tool }) => tool)
  const accepted = names.filter((name) => {
    const entry = own(tools, name)
    return entry !== undefined && isAccepted(entry)
  })
  return { isLaunchAccepted: isAccepted(launch), accepted }
}

/** Servers of one folder, and of the file beside Pawl's data. */
export async function listPins(
  store: DocumentStore,
  workspace: string,
): Promise<readonly Pinned[]> {
  const pins: Pinned[] = []
  for (const scope of [workspace, null]) {
    const prefix = keyOf(scope, '')
    const query = { collection: gatewayCollection, prefix, after: null, limit: serversMax }
    for (const { key, data, version } of (await store.listDocuments(query)).items) {
      pins.push(pinnedOf({ scope, server: key.slice(prefix.length), version }, bookIn(data)))
    }
  }
  return pins
}

/** Servers of one file that are looked at. */
const serversMax = 200

function pinnedOf(
  whose: Pick<Pinned, 'scope' | 'server' | 'version'>,
  { launch, tools }: PinDocument,
): Pinned {
  const listed = Object.entries(tools).map(([tool, entry]) => ({ tool, ...pinOf(entry) }))
  return { ...whose, launch: pinOf(launch), tools: listed }
}

function pinOf(entry: Entry): Pin {
  const { accepted, about, doubts, told, agreed } = entry
  const changes = isAccepted(entry) ? [] : changeLines(agreed, told)
  return { isAccepted: isAccepted(entry), hasChanged: accepted !== null, about, doubts, changes }
}

/** A person agrees to what they have seen. */
export async function acceptPins(
  { store, clock }: PinsContext,
  { scope, server, tool, version }: Acceptance,
): Promise<Pinned> {
  const key = keyOf(scope, server)
  const document = await store.readDocument(gatewayCollection, key)
  const book = document === null ? null : bookIn(document.data)
  const one = tool === null ? undefined : own(book?.tools ?? {}, tool)
  if (book === null || (tool !== null && one === undefined)) {
    const name = tool === null ? server : `${server}:${tool}`
    const hint = '`pawl gateway pins` lists all known servers and tools'
    throw new PawlError('REQUEST_INVALID', `\`${name}\` is unknown`, { hint })
  }
  const entries = one === undefined ? [book.launch, ...Object.values(book.tools)] : [one]
  for (const entry of entries) {
    entry.accepted = entry.seen
    entry.agreed = entry.told
  }
  const data = JSON.stringify(book)
  const change = { collection: gatewayCollection, key, expected: version, data, at: clock.now() }
  if ((await store.writeDocuments([change])) === 'conflict') throw conflict(server)
  return pinnedOf({ scope, server, version: version + 1 }, book)
}

function conflict(server: string): PawlError {
  const hint = 'look at it again with `pawl gateway pins`, then decide'
  return new PawlError('STORE_CONFLICT', `\`${server}\` has changed in the meantime`, { hint })
}
