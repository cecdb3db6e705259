/**
 * Finds what a new run starts with: the definition by its name, in the workspace first, and every
 * machine that it may invoke, pinned from now on.
 * A file with errors never replaces the valid one that was read before it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { closestName } from '../../core/closest-name.ts'
import type { Finding } from '../../core/finding.ts'
import { hasErrors } from '../../core/finding.ts'
import { own } from '../../core/json.ts'
import { invokesOf, linkMachine } from '../../core/machine/check-invocations.ts'
import type { Machine } from '../../core/machine/machine.ts'
import { PawlError } from '../pawl-error.ts'
import type { DefinitionRow } from '../ports.ts'
import type { Pins } from '../runs/projections.ts'
import type { AcceptedFile, DefinitionOffer } from '../runtime.ts'
import { type CompiledSource, compileSource, type GoodSource } from './compile-source.ts'
import { createRow, type DefinitionsContext, knownDefinition, updateRow } from './definitions.ts'
import { isDefinitionName, listFiles } from './list-files.ts'
import { formatOf, readWorkspaceText } from './read-definition.ts'
import { acceptFile, refuseShadowing, type WorkspaceFile } from './shadowing-files.ts'

export type FoundDefinition = {
  readonly machine: Machine
  readonly library: Pins
  /** What the caller should hear: an older version is used, because the file has errors. */
  readonly notes: readonly string[]
}

/** Files of a workspace that are looked into. */
const filesMax = 500

type DefinitionQuery = {
  readonly definition: string
  readonly task: string | null
  readonly workspace: string | null
}

export async function findDefinition(
  shop: DefinitionsContext,
  wanted: DefinitionQuery,
): Promise<FoundDefinition> {
  const notes: string[] = []
  const files = filesIn(wanted.workspace)
  const find = async (name: string): Promise<DefinitionRow> =>
    (await inWorkspace(shop, { name, workspace: wanted.workspace ?? '', files }, notes)) ??
    knownDefinition(
      shop.store,
      name,
      files.flatMap(({ compiled }) => compiled?.names ?? []),
    )
  const row = await find(wanted.definition)
  refuseUnknownTask(row, wanted.task)
  const machine = await machineOf(shop, row, wanted.task ?? wanted.definition)
  const library = await pinsOf(shop, machine, find)
  return { machine, library, notes }
}

function refuseUnknownTask({ name, latest }: DefinitionRow, task: string | null): void {
  if (task === null || Object.hasOwn(latest.machines, task)) return
  const tasks = Object.keys(latest.machines)
  const meant = closestName(task, tasks)
  const listed = tasks.map((one) => `\`${one}\``).join(', ')
  throw new PawlError('REQUEST_INVALID', `\`${name}\` has no task \`${task}\``, {
    hint: meant === null ? `its tasks are ${listed}` : `did you mean \`${meant}\`?`,
  })
}

/** One of the machines of a definition: the one of that name, else the first. */
async function machineOf(
  { shelf }: DefinitionsContext,
  row: DefinitionRow,
  task: string,
): Promise<Machine> {
  const { machines } = row.latest
  const hash = own(machines, task) ?? Object.values(machines)[0]
  if (hash === undefined) throw new PawlError('INTERNAL', `bug: \`${row.name}\` has no machine`)
  await shelf.fetch([hash])
  return shelf.get(hash)
}

type Find = (name: string) => Promise<DefinitionRow>

/** Every machine that can be invoked from here, at any depth. */
async function pinsOf(shop: DefinitionsContext, machine: Machine, find: Find): Promise<Pins> {
  const pins = new Map<string, Machine>()
  const work: Machine[] = [machine]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const { move } of invokesOf(next)) {
      if (pins.has(move.machine)) continue
      const row = await find(move.machine).catch(unlessUnknown)
      if (row === null) continue
      const invoked = await machineOf(shop, row, move.machine)
      pins.set(move.machine, invoked)
      work.push(invoked)
    }
  }
  const findings = linkMachine(machine, (name) => pins.get(name), [...pins.keys()])
  if (hasErrors(findings)) throw invalid(machine.name, findings)
  return Object.fromEntries([...pins].map(([name, one]) => [name, one.hash]))
}

function unlessUnknown(fault: unknown): null {
  if (fault instanceof PawlError && fault.code === 'DEFINITION_UNKNOWN') return null
  throw fault
}

function invalid(name: string, findings: readonly Finding[]): PawlError {
  const first = findings.find((one) => one.severity === 'error')
  const message = `\`${name}\` has errors: ${first?.message ?? ''}`
  return new PawlError('DEFINITION_INVALID', message, {
    hint: first?.hint ?? 'run `pawl check` on it',
  })
}

// ── files of the workspace ──────────────────────────────────────────────────

type File = { readonly path: string; readonly compiled: CompiledSource | null }

/** The folder in which a workspace keeps its definitions. */
function definitionsFolder(workspace: string): string {
  return join(workspace, '.pawl', 'definitions')
}

export type OfferedDefinition = {
  readonly name: string
  readonly dialect: string
  /** What its runs are called: a form may hold several tasks, each with a name of its own. */
  readonly tasks: readonly string[]
  readonly source: string
  readonly format: 'json' | 'yaml'
}

/** A field that a run asks for in its first stage. */
export type DefinitionInput = { readonly name: string; readonly description: string }

/** What the runs of a definition, or of one of its tasks, ask for first. */
export function inputsOf(
  { source, format }: DefinitionOffer,
  task: string,
): readonly DefinitionInput[] {
  const machines = compileSource({ source, format }).good?.machines ?? []
  const machine = machines.find((one) => one.name === task) ?? machines[0]
  const stage = machine === undefined ? undefined : own(machine.stages, machine.initial)
  const fields = Object.values(stage?.signals ?? {}).flatMap((trigger) => trigger.fields ?? [])
  return fields.map(({ name, title, description }) => ({ name, description: description || title }))
}

/** The definitions without errors that a workspace has. */
export function definitionsIn(workspace: string): readonly OfferedDefinition[] {
  return filesIn(workspace).flatMap(({ compiled }) => {
    if (compiled?.good == null) return []
    const { source, format } = compiled
    const { name, dialect, machines } = compiled.good
    return [{ name, dialect, tasks: machines.map((machine) => machine.name), source, format }]
  })
}

function filesIn(workspace: string | null): readonly File[] {
  if (workspace === null) return []
  const folder = definitionsFolder(workspace)
  if (!existsSync(folder)) return []
  const paths = listFiles(folder, { depth: 'flat', isWanted: isDefinitionName })
  return paths.slice(0, filesMax).map((path) => ({ path, compiled: compileFile(path, workspace) }))
}

/** Null: the file cannot be read at all. */
function compileFile(path: string, workspace: string): CompiledSource | null {
  try {
    const source = readWorkspaceText(path, workspace)
    return compileSource({ source, format: formatOf(path) ?? null })
  } catch (fault) {
    if (fault instanceof PawlError) return null
    throw fault
  }
}

type WorkspaceLookup = {
  readonly name: string
  readonly workspace: string
  readonly files: readonly File[]
}

/** The definition as the workspace has it, kept from now on; null: it has none of that name. */
async function inWorkspace(
  shop: DefinitionsContext,
  place: WorkspaceLookup,
  notes: string[],
): Promise<DefinitionRow | null> {
  const { name, workspace, files } = place
  const file = files.find(({ compiled }) => compiled?.good != null && names(compiled, name))
  const { store } = shop
  if (file?.compiled?.good == null) {
    const broken = files.find(({ compiled }) => compiled === null || isSuspect(compiled, name))
    if (broken === undefined) return null
    const row = await store.findDefinition(name, workspace)
    if (row === null) {
      if (broken.compiled !== null && names(broken.compiled, name)) {
        throw invalid(name, broken.compiled.findings)
      }
      return null
    }
    const { sourceHash, machines } = row.latest
    await refuseShadowing(shop, { name, workspace, sourceHash, machines })
    notes.push(`\`${broken.path}\` has errors; the previous version ${row.latest.version} is used`)
    return row
  }
  const { compiled } = file
  const { good } = file.compiled
  await refuseShadowing(shop, fileOf(place, compiled, good))
  const row = await store.findDefinition(good.name, workspace)
  if (row !== null) return updateRow(shop, row, compiled)
  return (
    (await createRow(shop, compiled, { workspace, good })) ??
    store.findDefinition(good.name, workspace)
  )
}

function fileOf(
  { name, workspace }: Pick<WorkspaceLookup, 'name' | 'workspace'>,
  { sourceHash }: CompiledSource,
  good: GoodSource,
): WorkspaceFile {
  const machines = Object.fromEntries(good.machines.map((one) => [one.name, one.hash]))
  return { name, workspace, sourceHash, machines }
}

/** A person accepts the file of this name in a workspace; gives the hash of its text. */
export async function acceptWorkspaceFile(
  shop: DefinitionsContext,
  { name, workspace, hash }: AcceptedFile,
): Promise<string> {
  const found = filesIn(workspace).find(
    ({ compiled }) => compiled?.good != null && names(compiled, name),
  )
  if (found?.compiled?.good == null) {
    const message = `\`${definitionsFolder(workspace)}\` has no valid definition \`${name}\``
    throw new PawlError('DEFINITION_UNKNOWN', message, { hint: 'run `pawl check` on its files' })
  }
  const file = fileOf({ name, workspace }, found.compiled, found.compiled.good)
  await acceptFile(shop, file, hash)
  return file.sourceHash
}

function names({ names: all }: CompiledSource, name: string): boolean {
  return all.includes(name)
}

/** A file with errors that may be the one that was meant: it says so, or does not say its name. */
function isSuspect(compiled: CompiledSource, name: string): boolean {
  return compiled.good === null && (compiled.names.length === 0 || names(compiled, name))
}
