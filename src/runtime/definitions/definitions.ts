/** Stored definitions: under a name that never changes, in versions that never change. */

import { closestName } from '../../core/closest-name.ts'
import type { Clock } from '../clock.ts'
import { PawlError } from '../pawl-error.ts'
import type { DefinitionRow, DefinitionStore, DefinitionVersion, DocumentStore } from '../ports.ts'
import type { DefinitionOfferItem, Definitions } from '../runtime.ts'
import { type CompiledSource, compileSource, type GoodSource } from './compile-source.ts'
import type { MachineCache } from './machine-cache.ts'
import { storedMachine } from './machine-cache.ts'

export type DefinitionsContext = {
  readonly store: DefinitionStore & DocumentStore
  readonly shelf: MachineCache
  readonly clock: Clock
  readonly newId: () => string
}

/** Versions of one definition. */
const versionsMax = 10_000
/** Stored definitions among which a misspelt name is looked for. */
const suggestionsMax = 500
/** Pages of stored definitions that are looked through for a task. */
const taskPagesMax = 20

export function openDefinitions(shop: DefinitionsContext): Omit<Definitions, 'accept'> {
  const { store } = shop
  const known = (idOrName: string): Promise<DefinitionRow> => knownDefinition(store, idOrName)
  // WHY not by a task: whoever changes or removes a definition means all of it.
  const exact = async (idOrName: string): Promise<DefinitionRow> => {
    const row = await storedDefinition(store, idOrName)
    if (row === null) throw await unknownFault(store, idOrName)
    return row
  }
  return {
    create: async (offer) => {
      const compiled = compileSource(offer)
      if (compiled.good === null) return { ok: false, findings: compiled.findings }
      const row = await createRow(shop, compiled, { workspace: '', good: compiled.good })
      if (row === null) throw nameTaken(compiled.good.name)
      return { ok: true, value: row, findings: compiled.findings }
    },
    update: async (idOrName, offer) => {
      const row = await exact(idOrName)
      const compiled = compileSource(offer)
      const { good, findings } = compiled
      if (good === null) return { ok: false, findings }
      if (good.name !== row.name) throw nameChanged(row.name, good.name)
      return offered(await updateRow(shop, row, compiled), compiled)
    },
    read: known,
    versions: async (idOrName) => store.listVersions((await known(idOrName)).id),
    list: store.listDefinitions,
    remove: async (idOrName) => {
      const { id } = await exact(idOrName)
      if ((await store.deleteDefinition(id)) === 'unknown') throw unknown(idOrName)
    },
    check: (offer) => compileSource(offer).findings,
  }
}

function offered(
  row: DefinitionRow,
  { findings }: CompiledSource,
): DefinitionOfferItem<DefinitionRow> {
  return { ok: true, value: row, findings }
}

async function storedDefinition(
  store: DefinitionStore,
  idOrName: string,
): Promise<DefinitionRow | null> {
  // WHY by name first: an id that a document brings along must not hide what has it as its name.
  return (await store.findDefinition(idOrName, '')) ?? (await store.readDefinition(idOrName))
}

/** The stored definition that has a task of this name; null: none has. */
async function definitionWithTask(
  store: DefinitionStore,
  task: string,
): Promise<DefinitionRow | null> {
  const found: DefinitionRow[] = []
  let after: string | null = null
  for (let page = 0; page < taskPagesMax; page += 1) {
    const { items, next } = await store.listDefinitions({ after, limit: suggestionsMax })
    found.push(
      ...items.filter((one) => one.workspace === '' && Object.hasOwn(one.latest.machines, task)),
    )
    after = next
    if (after === null) break
  }
  const [first, second] = found
  if (first === undefined || second === undefined) return first ?? null
  const names = found.slice(0, namesShownMax).map((one) => `\`${one.name}\``)
  const message = `several definitions have a task \`${task}\`: ${names.join(', ')}`
  const hint = 'name one of them, and the task beside it'
  throw new PawlError('REQUEST_INVALID', message, { hint })
}

/** Definitions that a message names. */
const namesShownMax = 5

/** A definition that was stored through the API, by its id, its name or a task; null: none. */
export async function findStored(
  store: DefinitionStore,
  idOrName: string,
): Promise<DefinitionRow | null> {
  return (await storedDefinition(store, idOrName)) ?? (await definitionWithTask(store, idOrName))
}

/** A definition that was stored through the API; `others`: more names that could be meant. */
export async function knownDefinition(
  store: DefinitionStore,
  idOrName: string,
  others: readonly string[] = [],
): Promise<DefinitionRow> {
  const found = await findStored(store, idOrName)
  if (found !== null) return found
  throw await unknownFault(store, idOrName, others)
}

/** The fault of a name that nobody knows, with the one that was probably meant. */
async function unknownFault(
  store: DefinitionStore,
  idOrName: string,
  others: readonly string[] = [],
): Promise<PawlError> {
  const { items } = await store.listDefinitions({ after: null, limit: suggestionsMax })
  const stored = items.filter((one) => one.workspace === '').map((one) => one.name)
  return unknown(idOrName, closestName(idOrName, [...others, ...stored]))
}

type WorkspaceSource = { readonly workspace: string; readonly good: GoodSource }

/** Keeps a definition for the first time; null: the name is taken. */
export async function createRow(
  shop: DefinitionsContext,
  compiled: CompiledSource,
  { workspace, good }: WorkspaceSource,
): Promise<DefinitionRow | null> {
  const at = shop.clock.now()
  await keepMachines(shop, good, at)
  const { name, dialect } = good
  const latest = versionOf(compiled, good, { version: 1, at })
  const id = await idFor(shop, { workspace, good })
  const row = { id, name, workspace, dialect, createdAt: at, updatedAt: at }
  return shop.store.createDefinition({ ...row, latest })
}

const ownIdForm = /^[^\s/?#]{1,200}$/

/** The id that a stored process brings along, or a new one. */
async function idFor(
  shop: DefinitionsContext,
  { workspace, good }: WorkspaceSource,
): Promise<string> {
  const { ownId, dialect, name } = good
  const fresh = `${dialect === 'process' ? 'proc' : 'd'}_${shop.newId()}`
  // WHY not of a file: the same file can be in many folders.
  if (ownId === null || workspace !== '' || !ownIdForm.test(ownId)) return fresh
  const holder = await shop.store.readDefinition(ownId)
  if (holder === null) return ownId
  // Under the same name, the store will say that the name is taken.
  if (holder.name === name) return fresh
  const message = `the definition \`${holder.name}\` has the id \`${ownId}\``
  throw new PawlError('DEFINITION_EXISTS', message, { hint: 'remove `id`, or use another one' })
}

/** Adds a version, unless the text is what it was. */
export async function updateRow(
  shop: DefinitionsContext,
  row: DefinitionRow,
  compiled: CompiledSource,
): Promise<DefinitionRow> {
  const { good, sourceHash } = compiled
  if (good === null || sourceHash === row.latest.sourceHash) return row
  const at = Math.max(shop.clock.now(), row.updatedAt)
  await keepMachines(shop, good, at)
  const { version } = row.latest
  if (version >= versionsMax) {
    const hint = 'delete it and store it again'
    throw new PawlError('REQUEST_INVALID', `\`${row.name}\` has ${version} versions`, { hint })
  }
  const next = versionOf(compiled, good, { version: version + 1, at })
  const added = await shop.store.addVersion(row.id, version, next)
  if (added !== null) return added
  const message = `\`${row.name}\` was changed by somebody else in the meantime`
  throw new PawlError('STORE_CONFLICT', message, { hint: 'read it again, then send your change' })
}

function versionOf(
  { source, sourceHash, format }: CompiledSource,
  { machines }: GoodSource,
  { version, at }: { readonly version: number; readonly at: number },
): DefinitionVersion {
  const byName = Object.fromEntries(machines.map((machine) => [machine.name, machine.hash]))
  return { version, sourceHash, source, format, machines: byName, createdAt: at }
}

async function keepMachines(
  { store, shelf }: DefinitionsContext,
  good: GoodSource,
  at: number,
): Promise<void> {
  await store.putMachines(good.machines.map(storedMachine), at)
  shelf.add(good.machines)
}

function unknown(idOrName: string, meant: string | null = null): PawlError {
  const message = `there is no definition \`${idOrName}\``
  const hint = meant === null ? '`pawl definitions` lists them' : `did you mean \`${meant}\`?`
  return new PawlError('DEFINITION_UNKNOWN', message, { hint })
}

function nameTaken(name: string): PawlError {
  const message = `the definition \`${name}\` already exists`
  const hint = 'send a new version of it (PUT), or give yours another name'
  return new PawlError('DEFINITION_EXISTS', message, { hint })
}

function nameChanged(before: string, after: string): PawlError {
  const message = `\`${before}\` cannot become \`${after}\`: the name of a definition never changes`
  return new PawlError('REQUEST_INVALID', message, { hint: 'store it as a separate definition' })
}
