/**
 * Machines and definitions. Knows SQL. Must not know dialects.
 */
import type {
  DefinitionRow,
  DefinitionStore,
  DefinitionVersion,
  StoredMachine,
} from '../../runtime/ports.ts'
import { definitionChanged, definitionCreated } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import {
  insertMachines,
  machineColumns,
  noteEntry,
  runParts,
  type SqlPart,
  selected,
  sqlPart,
} from './columns.ts'
import type { Pool, Sql } from './pool.ts'

type VersionRow = Omit<DefinitionVersion, 'machines'> & { readonly machines: string }
type DefinitionJoin = Omit<DefinitionRow, 'latest'> & VersionRow & { readonly versionAt: number }

const version = 'version, source_hash AS "sourceHash", source, format, machines'
const definition = `definitions.id, name, workspace, dialect, definitions.created_at AS "createdAt",
  updated_at AS "updatedAt", ${version}, versions.created_at AS "versionAt"`
const join =
  'JOIN definition_versions versions ON definition_id = definitions.id AND version = latest'

const nameKey: readonly [name: string, workspace: string] = ['', '']

/** The part of a store that is about definitions. */
export function createDefinitions(pool: Pool): DefinitionStore {
  return {
    putMachines: async (machines, at) => {
      // In one order, so that two who put the same ones do not wait for each other in a circle.
      const sorted = [...machines].sort((a, b) => (a.hash < b.hash ? -1 : 1))
      await runParts(pool, [
        sqlPart('WITH head AS (SELECT ?::bigint AS at)', at),
        insertMachines(sorted),
        sqlPart(' SELECT 1'),
      ])
    },
    readMachine: async (hash) => {
      const [row] = await pool.run<StoredMachine>(
        (sql) => sql`SELECT ${sql.unsafe(selected(machineColumns, 'machines'))} FROM machines
          WHERE hash = ${hash}`,
      )
      return row ?? null
    },
    createDefinition: async (row) => {
      const { id, name, workspace, dialect, latest, createdAt, updatedAt } = row
      const rows = await runParts(pool, [
        sqlPart(create, id, name, workspace, dialect, latest.version, createdAt, updatedAt),
        keepVersion(latest),
        noteEntry(definitionCreated(row)),
        sqlPart(' SELECT id FROM head'),
      ])
      return rows.length > 0 ? row : null
    },
    addVersion: async (id, expected, next) => {
      const [row] = await runParts<Omit<DefinitionRow, 'latest'>>(pool, [
        sqlPart(change, next.version, next.createdAt, id, expected),
        keepVersion(next),
        noteEntry(definitionChanged(id, next)),
        sqlPart(` SELECT id, name, workspace, dialect, created_at AS "createdAt",
          updated_at AS "updatedAt" FROM head`),
      ])
      return row === undefined ? null : { ...row, latest: next }
    },
    deleteDefinition: async (id) => {
      const rows = await runParts(pool, [
        sqlPart(
          `WITH head AS (DELETE FROM definitions WHERE id = ? RETURNING id),
          gone AS (DELETE FROM definition_versions USING head WHERE definition_id = head.id)`,
          id,
        ),
        noteEntry({ type: 'definition.deleted', id }),
        sqlPart(' SELECT id FROM head'),
      ])
      return rows.length > 0 ? 'deleted' : 'unknown'
    },
    ...createReading(pool),
  }
}

type DefinitionReads = Pick<
  DefinitionStore,
  'readDefinition' | 'findDefinition' | 'listVersions' | 'listDefinitions'
>

function createReading(pool: Pool): DefinitionReads {
  const read = async (where: (sql: Sql) => ReturnType<Sql>) => {
    const rows = await pool.run<DefinitionJoin>(
      (sql) =>
        sql`SELECT ${sql.unsafe(definition)} FROM definitions ${sql.unsafe(join)} ${where(sql)}`,
    )
    return rows.map(definitionIn)
  }
  return {
    readDefinition: async (id) =>
      (await read((sql) => sql`WHERE definitions.id = ${id}`))[0] ?? null,
    findDefinition: async (name, workspace) =>
      (await read((sql) => sql`WHERE name = ${name} AND workspace = ${workspace}`))[0] ?? null,
    listVersions: async (id) => {
      const rows = await pool.run<VersionRow>(
        (sql) => sql`SELECT ${sql.unsafe(version)}, created_at AS "createdAt"
          FROM definition_versions WHERE definition_id = ${id} ORDER BY version`,
      )
      return rows.map(versionIn)
    },
    listDefinitions: async ({ after, limit }) => {
      const key = after === null ? null : parseCursor(after, nameKey)
      const rows = await read(
        (sql) => sql`
        ${key === null ? sql`` : sql`WHERE (name, workspace) > (${key[0]}::text, ${key[1]}::text)`}
        ORDER BY name, workspace LIMIT ${limit + 1}`,
      )
      return pageFrom(rows, limit, (row) => [row.name, row.workspace])
    },
  }
}

const create = `WITH head AS (
  INSERT INTO definitions (id, name, workspace, dialect, latest, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?::bigint, ?::bigint, ?::bigint)
  ON CONFLICT DO NOTHING RETURNING id
)`
const change = `WITH head AS (
  UPDATE definitions SET latest = ?::bigint, updated_at = ?::bigint
  WHERE id = ? AND latest = ?::bigint RETURNING *
)`
const insertVersion = `, kept_version AS (
  INSERT INTO definition_versions
    (definition_id, version, source_hash, source, format, machines, created_at)
  SELECT id, ?::bigint, ?::text, ?::text, ?::text, ?::text, ?::bigint FROM head)`

function keepVersion(next: DefinitionVersion): SqlPart {
  const { version, sourceHash, source, format, machines, createdAt } = next
  const pins = JSON.stringify(machines)
  return sqlPart(insertVersion, version, sourceHash, source, format, pins, createdAt)
}

function definitionIn(row: DefinitionJoin): DefinitionRow {
  const { id, name, workspace, dialect, createdAt, updatedAt, versionAt, ...rest } = row
  const latest = versionIn({ ...rest, createdAt: versionAt })
  return { id, name, workspace, dialect, createdAt, updatedAt, latest }
}

function versionIn(row: VersionRow): DefinitionVersion {
  return { ...row, machines: JSON.parse(row.machines) }
}
