/**
 * Machines and definitions. Knows SQL. Must not know dialects.
 */
import type {
  DefinitionRow,
  DefinitionStore,
  DefinitionVersion,
  StoredMachine,
} from '../../runtime/ports.ts'
import { pageFrom, parseCursor } from '../cursor.ts'
import { insertMachines, machineColumns, runParts, selected, sqlPart } from './columns.ts'
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
      const rows = await pool.run(
        (sql) => sql`
        WITH head AS (
          INSERT INTO definitions (id, name, workspace, dialect, latest, created_at, updated_at)
          VALUES (${row.id}, ${row.name}, ${row.workspace}, ${row.dialect},
            ${row.latest.version}, ${row.createdAt}, ${row.updatedAt})
          ON CONFLICT DO NOTHING RETURNING id
        ) ${keepVersion(sql, row.latest)} SELECT id FROM head`,
      )
      return rows.length > 0 ? row : null
    },
    addVersion: async (id, expected, next) => {
      const [row] = await pool.run<Omit<DefinitionRow, 'latest'>>(
        (sql) => sql`
        WITH head AS (
          UPDATE definitions SET latest = ${next.version}, updated_at = ${next.createdAt}
          WHERE id = ${id} AND latest = ${expected} RETURNING *
        ) ${keepVersion(sql, next)}
        SELECT id, name, workspace, dialect, created_at AS "createdAt", updated_at AS "updatedAt"
        FROM head`,
      )
      return row === undefined ? null : { ...row, latest: next }
    },
    deleteDefinition: async (id) => {
      const rows = await pool.run(
        (sql) => sql`
        WITH head AS (DELETE FROM definitions WHERE id = ${id} RETURNING id),
        gone AS (DELETE FROM definition_versions USING head WHERE definition_id = head.id)
        SELECT id FROM head`,
      )
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

function keepVersion(sql: Sql, next: DefinitionVersion): ReturnType<Sql> {
  return sql`, kept_version AS (
    INSERT INTO definition_versions
      (definition_id, version, source_hash, source, format, machines, created_at)
    SELECT id, ${next.version}::bigint, ${next.sourceHash}::text, ${next.source}::text,
      ${next.format}::text, ${JSON.stringify(next.machines)}::text, ${next.createdAt}::bigint
    FROM head)`
}

function definitionIn(row: DefinitionJoin): DefinitionRow {
  const { id, name, workspace, dialect, createdAt, updatedAt, versionAt, ...rest } = row
  const latest = versionIn({ ...rest, createdAt: versionAt })
  return { id, name, workspace, dialect, createdAt, updatedAt, latest }
}

function versionIn(row: VersionRow): DefinitionVersion {
  return { ...row, machines: JSON.parse(row.machines) }
}
