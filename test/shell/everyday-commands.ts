/**
 * The everyday commands, each group with the list that it is meant for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type EverydayGroup = {
  /** What kind of work it is, or where it was found. */
  readonly kind: string
  readonly allowed_commands: readonly string[]
  readonly commands: readonly string[]
}

type Collected = Omit<EverydayGroup, 'kind'> & { readonly source: string }

/** A command of a real project that a list rightly does not let pass. */
export type Refusal = {
  readonly source: string
  readonly allowed_commands: readonly string[]
  readonly command: string
  readonly code: string
  readonly why: string
}

function fixture(name: string): unknown {
  const file = join(import.meta.dirname, '..', 'fixtures', name)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** In the style of real projects' READMEs, scripts, Makefiles and CI files. */
export const everyday = fixture('everyday-commands.json') as readonly EverydayGroup[]

/** Word by word from package scripts, shell scripts, Makefiles, CI files, READMEs and manuals. */
export const collected: readonly EverydayGroup[] = (
  fixture('collected-commands.json') as readonly Collected[]
).map(({ source, ...group }) => ({ kind: source, ...group }))

/** What was collected together with them and stays denied. */
export const refusals = fixture('collected-refusals.json') as readonly Refusal[]

/** How many commands there are in all groups. */
export function countCommands(groups: readonly EverydayGroup[]): number {
  return groups.reduce((sum, group) => sum + group.commands.length, 0)
}
