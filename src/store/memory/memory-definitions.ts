/** Machines and definitions in memory. */
import type { DefinitionRow, DefinitionStore, DefinitionVersion } from '../../runtime/ports.ts'
import type { RecordStore } from '../../runtime/record/ports.ts'
import { definitionChanged, definitionCreated } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import type { MemoryRegister } from './memory-register.ts'

type StoredDefinition = { row: DefinitionRow; readonly versions: DefinitionVersion[] }

/** No machines and no definitions yet. */
export function memoryDefinitions({
  note,
}: MemoryRegister): DefinitionStore & { readonly machines: RecordStore['listMachines'] } {
  const machines = new Map<string, Parameters<DefinitionStore['putMachines']>[0][number]>()
  const kept = new Map<string, StoredDefinition>()
  const find = (name: string, workspace: string) =>
    [...kept.values()].find(({ row }) => row.name === name && row.workspace === workspace)?.row
  return {
    putMachines: async (list) => {
      for (const one of list) if (!machines.has(one.hash)) machines.set(one.hash, { ...one })
    },
    readMachine: async (hash) => clone(machines.get(hash)),
    createDefinition: async (row) => {
      if (find(row.name, row.workspace) !== undefined) return null
      const own = structuredClone(row)
      kept.set(row.id, { row: own, versions: [own.latest] })
      note(definitionCreated(own))
      return clone(own)
    },
    addVersion: async (id, expected, next) => {
      const one = kept.get(id)
      if (one?.row.latest.version !== expected) return null
      const latest = structuredClone(next)
      one.versions.push(latest)
      note(definitionChanged(id, latest))
      one.row = { ...one.row, updatedAt: latest.createdAt, latest }
      return clone(one.row)
    },
    readDefinition: async (id) => clone(kept.get(id)?.row),
    findDefinition: async (name, workspace) => clone(find(name, workspace)),
    listVersions: async (id) => structuredClone(kept.get(id)?.versions ?? []),
    listDefinitions: async ({ after, limit }) => {
      const last = after === null ? null : parseCursor(after, ['', ''])
      const rows = [...kept.values()]
        .map(({ row }) => row)
        .sort((a, b) => compare(a.name, b.name) || compare(a.workspace, b.workspace))
        .filter((row) => last === null || isAfter(row, last))
      return pageFrom(structuredClone(rows), limit, (row) => [row.name, row.workspace])
    },
    deleteDefinition: async (id) => {
      if (!kept.delete(id)) return 'unknown'
      note({ type: 'definition.deleted', id })
      return 'deleted'
    },
    machines: async ({ after, limit }) => {
      const [last] = after === null ? [''] : parseCursor(after, [''])
      const rows = [...machines.values()]
        .filter(({ hash }) => hash > last)
        .sort((a, b) => compare(a.hash, b.hash))
      return pageFrom(structuredClone(rows), limit, ({ hash }) => [hash])
    },
  }
}

const clone = <T>(value: T | undefined): T | null =>
  value === undefined ? null : structuredClone(value)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function isAfter(row: DefinitionRow, [name, workspace]: readonly [string, string]): boolean {
  return row.name > name || (row.name === name && row.workspace > workspace)
}
