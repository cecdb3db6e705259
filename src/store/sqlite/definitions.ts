/**
 * Machines and definitions with their versions.
 */
import type { DatabaseSync } from 'node:sqlite'
import type {
  DefinitionRow,
  DefinitionStore,
  DefinitionVersion,
  StoredMachine,
} from '../../runtime/ports.ts'
import { definitionChanged, definitionCreated } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import { asRecord, asRecordOrNull, type SqliteRow, statementCache, whereAll } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

const versionColumns = `v.version, v.source_hash AS sourceHash, v.source, v.format, v.machines,
  v.created_at AS createdAt`
const rowColumns = `d.id, d.name, d.workspace, d.dialect, d.created_at AS definedAt,
  d.updated_at AS updatedAt, ${versionColumns}`
const withLatest = `definitions d JOIN definition_versions v
  ON v.definition_id = d.id AND v.version = d.version`

export function definitionCalls(shared: SqliteContext): DefinitionStore {
  return { ...machineCalls(shared), ...writingCalls(shared), ...readingCalls(shared) }
}

/** Adds machines; one that is there stays, because its hash says that it is the same. */
export function prepareMachines(
  db: DatabaseSync,
): (machines: readonly StoredMachine[], at: number) => void {
  const add = db.prepare('INSERT INTO machines VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  return (machines, at) => {
    for (const { hash, name, dialect, format, compiled } of machines) {
      add.run(hash, name, dialect, format, compiled, at)
    }
  }
}

function machineCalls({
  db,
  read,
  write,
}: SqliteContext): Pick<DefinitionStore, 'putMachines' | 'readMachine'> {
  const put = prepareMachines(db)
  const find = db.prepare(
    'SELECT hash, name, dialect, format, compiled FROM machines WHERE hash = ?',
  )
  return {
    putMachines: (machines, at) => write(() => put(machines, at)),
    readMachine: (hash) => read(() => asRecordOrNull<StoredMachine>(find.get(hash))),
  }
}

type WritingCalls = Pick<DefinitionStore, 'createDefinition' | 'addVersion' | 'deleteDefinition'>

function writingCalls({ db, register, write }: SqliteContext): WritingCalls {
  const find = prepareFind(db)
  const add = db.prepare(
    'INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name, workspace) DO NOTHING',
  )
  const move = db.prepare(
    'UPDATE definitions SET version = ?, updated_at = ? WHERE id = ? AND version = ?',
  )
  const addVersion = db.prepare('INSERT INTO definition_versions VALUES (?, ?, ?, ?, ?, ?, ?)')
  const remove = db.prepare('DELETE FROM definitions WHERE id = ?')
  const removeVersions = db.prepare('DELETE FROM definition_versions WHERE definition_id = ?')
  const writeVersion = (id: string, one: DefinitionVersion) => {
    const { version, sourceHash, source, format, machines, createdAt } = one
    addVersion.run(id, version, sourceHash, source, format, JSON.stringify(machines), createdAt)
  }
  return {
    createDefinition: (row) =>
      write(() => {
        const { id, name, workspace, dialect, createdAt, updatedAt, latest } = row
        const names = [id, name, workspace, dialect] as const
        if (add.run(...names, createdAt, updatedAt, latest.version).changes === 0) return null
        writeVersion(id, latest)
        register.note(definitionCreated(row))
        return find(id)
      }),
    addVersion: (id, expected, next) =>
      write(() => {
        if (move.run(next.version, next.createdAt, id, expected).changes === 0) return null
        writeVersion(id, next)
        register.note(definitionChanged(id, next))
        return find(id)
      }),
    deleteDefinition: (id) =>
      write(() => {
        if (remove.run(id).changes === 0) return 'unknown'
        removeVersions.run(id)
        register.note({ type: 'definition.deleted', id })
        return 'deleted'
      }),
  }
}

type ReadingCalls = Omit<
  DefinitionStore,
  keyof WritingCalls | keyof ReturnType<typeof machineCalls>
>

function readingCalls({ db, read }: SqliteContext): ReadingCalls {
  const find = prepareFind(db)
  const prepare = statementCache(db)
  const byName = db.prepare(
    `SELECT ${rowColumns} FROM ${withLatest} WHERE d.name = ? AND d.workspace = ?`,
  )
  const versions = db.prepare(
    `SELECT ${versionColumns} FROM definition_versions v WHERE definition_id = ? ORDER BY version`,
  )
  return {
    readDefinition: (id) => read(() => find(id)),
    findDefinition: (name, workspace) => read(() => asDefinition(byName.get(name, workspace))),
    listVersions: (id) => read(() => versions.all(id).map(asVersion)),
    listDefinitions: ({ after, limit }) =>
      read(() => {
        const key = after === null ? null : parseCursor(after, ['', ''])
        const { where, values } = whereAll([['(d.name, d.workspace) > (?, ?)', key]])
        const order = 'ORDER BY d.name, d.workspace LIMIT ?'
        const rows = prepare(`SELECT ${rowColumns} FROM ${withLatest} ${where} ${order}`)
          .all(...values, limit + 1)
          .flatMap((row) => asDefinition(row) ?? [])
        return pageFrom(rows, limit, (row) => [row.name, row.workspace])
      }),
  }
}

function prepareFind(db: DatabaseSync): (id: string) => DefinitionRow | null {
  const find = db.prepare(`SELECT ${rowColumns} FROM ${withLatest} WHERE d.id = ?`)
  return (id) => asDefinition(find.get(id))
}

function asVersion(row: SqliteRow): DefinitionVersion {
  const { version, sourceHash, source, format, machines, createdAt } = asRecord<
    Omit<DefinitionVersion, 'machines'> & { machines: string }
  >(row)
  return { version, sourceHash, source, format, machines: JSON.parse(machines), createdAt }
}

function asDefinition(row: SqliteRow | undefined): DefinitionRow | null {
  if (row === undefined) return null
  const { id, name, workspace, dialect, definedAt, updatedAt } = asRecord<
    Omit<DefinitionRow, 'createdAt' | 'latest'> & { definedAt: number }
  >(row)
  return { id, name, workspace, dialect, createdAt: definedAt, updatedAt, latest: asVersion(row) }
}
