/**
 * Ways to edit a database by hand, as data: each is reported by `pawl db check`, or by checking
 * against an anchor. The table in `docs/reference/record.md` is made of the same data.
 */

import type { EventRecord } from '../runtime/ports.ts'
import { hashText } from '../runtime/record/binds.ts'
import { hashEntry } from '../runtime/record/register.ts'
import { chained } from '../runtime/runs/hash-chain.ts'

/** The database as someone with a SQL shell sees it. */
export type Editor = {
  readonly run: (sql: string) => Promise<void>
  readonly all: <T>(sql: string) => Promise<readonly T[]>
}

/** Names that differ between the stores. */
export type TableNames = {
  readonly replies: string
  readonly replyId: string
  readonly replyText: string
  readonly outbox: string
  readonly latest: string
  readonly bytes: string
}

export type EditCase = {
  readonly table: string
  readonly name: string
  /** The first of these that finds it: checking alone, or with an anchor from before. */
  readonly reportedBy: 'check' | 'anchor'
  readonly edit: (db: Editor, names: TableNames) => Promise<void>
  /** What the report says. */
  readonly says: RegExp
}

/** Runs that `fillStore` makes, by what became of them. */
export const runIds = { long: 'r_long', asking: 'r_asking', ended: 'r_ended' } as const
const { long, asking, ended } = runIds

/** A case that one statement makes. */
function sql(
  table: string,
  name: string,
  [statement, says]: readonly [(names: TableNames) => string, RegExp],
): EditCase {
  const edit: EditCase['edit'] = (db, names) => db.run(statement(names))
  return { table, name, reportedBy: 'check', edit, says }
}

const runRows = (run: string) => async (db: Editor, names: TableNames) => {
  await db.run(`DELETE FROM runs WHERE id = '${run}'`)
  await db.run(`DELETE FROM cards WHERE key = '${run}'`)
  const tables = ['events', names.replies, 'snapshots', 'approvals', names.outbox, 'claims']
  for (const table of tables) await db.run(`DELETE FROM ${table} WHERE run_id = '${run}'`)
}

/** Hashes a run's log anew, after its records were changed, and corrects its head. */
async function rechain(db: Editor, run: string, binds?: [seq: number, text: string]) {
  const rows = await db.all<EventRecord>(
    `SELECT seq, member, type, data, at, actor, command_id AS "commandId", binds, hash
     FROM events WHERE run_id = '${run}' ORDER BY seq`,
  )
  let hash = ''
  for (const row of rows) {
    const text = binds?.[0] === row.seq ? binds[1] : row.binds
    hash = chained(run, hash, { ...row, binds: text }).hash
    const where = `WHERE run_id = '${run}' AND seq = ${row.seq}`
    await db.run(`UPDATE events SET hash = '${hash}' ${where}`)
    if (text !== row.binds) await db.run(`UPDATE events SET binds = '${text}' ${where}`)
  }
  await db.run(`UPDATE runs SET seq = ${rows.length}, hash = '${hash}' WHERE id = '${run}'`)
}

/** Makes of a database one of the version before, whose records bind nothing. */
export async function setBack(db: Editor, version: number): Promise<void> {
  await db.run('UPDATE events SET binds = NULL')
  for (const run of Object.values(runIds)) await rechain(db, run)
  await db.run('ALTER TABLE events DROP COLUMN binds')
  await db.run('DROP TABLE register')
  await db.run(`DELETE FROM migrations WHERE version > ${version}`)
  // Those of older versions are not read.
  await db.run('UPDATE snapshots SET version = 6')
}

type Line = { readonly seq: number; readonly text: string }

/** Writes the register anew, with other lines. */
async function rewriteRegister(db: Editor, change: (lines: readonly Line[]) => readonly string[]) {
  const lines = await db.all<Line>('SELECT seq, text FROM register ORDER BY seq')
  await db.run('DELETE FROM register')
  let hash = ''
  const texts = change(lines)
  for (const [index, text] of texts.entries()) {
    hash = hashEntry(hash, text)
    await db.run(`INSERT INTO register VALUES (${index + 1}, '${text}', '${hash}')`)
  }
  // Only PostgreSQL has it.
  await db.run(`UPDATE register_tip SET seq = ${texts.length}, hash = '${hash}'`).catch(() => null)
}

const anchored = /is not the one that was anchored|lines when it was anchored/

export const editCases: readonly EditCase[] = [
  ...recordCases(),
  ...headCases(),
  ...projectionCases(),
  ...registeredCases(),
  ...rewriteCases(),
]

function recordCases(): readonly EditCase[] {
  const where = `WHERE run_id = '${long}' AND seq = 5`
  return [
    sql('events', 'the data of a record is changed', [
      () => `UPDATE events SET data = replace(data, 'Read', 'Bash') ${where}`,
      /record 5: its content/,
    ]),
    sql('events', 'the actor of a record is changed', [
      () => `UPDATE events SET actor = 'person:ada' ${where}`,
      /record 5: its content/,
    ]),
    sql('events', 'the time of a record is changed', [
      () => `UPDATE events SET at = at - 1 ${where}`,
      /record 5: its content/,
    ]),
    sql('events', 'a record is moved to another child run', [
      () => `UPDATE events SET member = 'r_other' ${where}`,
      /record 5: its content/,
    ]),
    sql('events', 'the hashes in the `binds` field of a record are removed', [
      () => `UPDATE events SET binds = NULL WHERE run_id = '${long}' AND binds IS NOT NULL`,
      /its content/,
    ]),
    sql('events', 'a record is removed', [
      () => `DELETE FROM events ${where}`,
      /the record 5 is missing/,
    ]),
    sql('events', 'the last record is removed', [
      () => `DELETE FROM events WHERE run_id = '${asking}'
        AND seq = (SELECT max(seq) FROM events WHERE run_id = '${asking}')`,
      /but the log ends/,
    ]),
    sql('events', 'a record is added', [
      () => `INSERT INTO events
          (run_id, seq, member, type, data, at, actor, command_id, hash, binds)
        SELECT run_id, seq + 1, member, type, data, at, actor, command_id, hash, binds FROM events
        WHERE run_id = '${asking}' AND
          seq = (SELECT max(seq) FROM events WHERE run_id = '${asking}')`,
      /its content/,
    ]),
  ]
}

function headCases(): readonly EditCase[] {
  const set = (column: string, value: string): string =>
    `UPDATE runs SET ${column} = ${value} WHERE id = '${asking}'`
  const columns: readonly (readonly [column: string, value: string, name: string])[] = [
    ['status', `'completed'`, 'the status of a run is changed'],
    ['stage', `'done'`, 'the stage of a run is changed'],
    ['workspace', `'/elsewhere'`, 'a run is moved to another workspace'],
    ['definition', `'other'`, 'a run is listed under another definition'],
    ['machine', `'${'0'.repeat(64)}'`, 'a run is pinned to another machine'],
    ['calls_count', '7', 'the count of calls is changed'],
    ['cost_micro_usd', '7', 'the cost of a run is changed'],
    ['started_at', '1', 'the start of a run is changed'],
    ['updated_at', '1', 'the last change of a run is moved'],
    ['ended_at', '1', 'a run is marked as ended'],
  ]
  const asField = (column: string): string =>
    column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return [
    ...columns.map(([column, value, name]) =>
      sql('runs', name, [() => set(column, value), new RegExp(`as ${asField(column)};`)]),
    ),
    sql('runs', 'the head points at an earlier record', [
      () => set('seq', 'seq - 1'),
      /the head of the run names record/,
    ]),
    sql('runs', 'the stored size of a log is changed', [
      ({ bytes }) => set(bytes, '1'),
      /stored size/,
    ]),
    sql('runs', 'the head of a run is removed', [
      () => `DELETE FROM runs WHERE id = '${asking}'`,
      /row in the list of runs is missing/,
    ]),
    sql('runs', 'a run without a log is added', [
      ({ bytes }) => `INSERT INTO runs (id, machine, definition, dialect, status, stage, seq, hash,
          workspace, calls_count, cost_micro_usd, started_at, updated_at, ended_at, ${bytes})
        SELECT 'r_made_up', machine, definition, dialect, status, stage, seq, hash,
          workspace, calls_count, cost_micro_usd, started_at, updated_at, ended_at, ${bytes}
        FROM runs WHERE id = '${asking}'`,
      /belongs to nothing: r_made_up/,
    ]),
    {
      ...{ table: 'all', name: 'a whole run is removed', reportedBy: 'check' },
      ...{ edit: runRows(ended), says: /the run was removed/ },
    },
  ]
}

function projectionCases(): readonly EditCase[] {
  const approval = (column: string, value: string): string =>
    `UPDATE approvals SET ${column} = ${value} WHERE run_id = '${asking}'`
  const snapshot = `WHERE run_id = '${long}'`
  return [
    sql('snapshots', 'the stage in a snapshot is changed', [
      () => `UPDATE snapshots SET state = replace(state, '"plan"', '"done"') ${snapshot}`,
      /the snapshot is not the one/,
    ]),
    sql('snapshots', 'a snapshot is moved to another record', [
      () => `UPDATE snapshots SET seq = seq - 1 ${snapshot}`,
      /the snapshot is not the one/,
    ]),
    sql('snapshots', 'a snapshot is added to a run that has none', [
      () =>
        `INSERT INTO snapshots SELECT '${asking}', 2, version, state FROM snapshots ${snapshot}`,
      /the snapshot is not the one/,
    ]),
    sql('approvals', 'an approval is granted', [
      () => approval('status', `'granted'`),
      /status differs/,
    ]),
    sql('approvals', 'the text of a question is changed', [
      () => approval('message', `'harmless?'`),
      /message differs/,
    ]),
    sql('approvals', 'what is held back is changed', [
      () => approval('pending', `'{}'`),
      /pending differs/,
    ]),
    sql('approvals', 'the person who decided is changed', [
      () => `UPDATE approvals SET decided_by = 'bob' WHERE run_id = '${ended}'`,
      /decidedBy differs/,
    ]),
    sql('approvals', 'the note of a decision is changed', [
      () => `UPDATE approvals SET note = 'go' WHERE run_id = '${ended}'`,
      /note differs/,
    ]),
    sql('approvals', 'the expiry of an approval is postponed', [
      () => approval('expires_at', 'expires_at + 1'),
      /expiresAt differs/,
    ]),
    sql('approvals', 'a question is removed', [
      () => `DELETE FROM approvals WHERE run_id = '${asking}'`,
      /approval .* is missing/,
    ]),
    sql('approvals', 'a question is added', [
      () => `INSERT INTO approvals (run_id, id, member, kind, message, hash, status, requested_at,
          expires_at, decided_at, decided_by, note, pending)
        SELECT run_id, 'a_made_up', member, kind, message, hash, status, requested_at,
          expires_at, decided_at, decided_by, note, pending FROM approvals
        WHERE run_id = '${asking}'`,
      /a_made_up was never asked/,
    ]),
  ]
}

function registeredCases(): readonly EditCase[] {
  const reply = ({ replies, replyId }: TableNames, id: string): string =>
    `${replies} WHERE run_id = '${long}' AND ${replyId} = '${id}'`
  return [
    sql('replies', 'a stored reply is changed from deny to allow', [
      (names) => {
        const { replies, replyText, replyId } = names
        return `UPDATE ${replies} SET ${replyText} = replace(${replyText}, 'deny', 'allow')
          WHERE run_id = '${long}' AND ${replyId} = 'denied'`
      },
      /the reply to command denied is not/,
    ]),
    sql('replies', 'a reply to a command without records is changed', [
      ({ replies, replyText, replyId }) => `UPDATE ${replies} SET ${replyText} = '{}'
        WHERE run_id = '${long}' AND ${replyId} = 'silent'`,
      /the reply to command silent is not/,
    ]),
    sql('replies', 'a stored reply is removed', [
      (names) => `DELETE FROM ${reply(names, 'denied')}`,
      /the reply to command denied is missing/,
    ]),
    sql('replies', 'a reply to a command that was never sent is added', [
      ({ replies }) => `INSERT INTO ${replies} VALUES ('${long}', 'made-up', '{}')`,
      /the reply to command made-up was never given/,
    ]),
    sql('outbox', 'an owed effect is changed', [
      ({ outbox }) => `UPDATE ${outbox} SET data = '{}' WHERE run_id = '${asking}'`,
      /outbox item .* was changed/,
    ]),
    sql('outbox', 'an owed effect is removed', [
      ({ outbox }) => `DELETE FROM ${outbox} WHERE run_id = '${asking}'`,
      /outbox item .* is missing/,
    ]),
    sql('outbox', 'a pending effect is postponed forever', [
      ({ outbox }) => `UPDATE ${outbox} SET due_at = 9000000000000 WHERE run_id = '${asking}'`,
      /is put off for too long/,
    ]),
    sql('outbox', 'an effect is added', [
      ({ outbox }) => `INSERT INTO ${outbox} VALUES ('${long}', 'made-up', 'notify', '{}', 0, 0)`,
      /outbox item made-up was never/,
    ]),
    sql('claims', 'a run is given to another session', [
      () => `UPDATE claims SET session = 'claude:other' WHERE run_id = '${long}'`,
      /not one that was made/,
    ]),
    sql('claims', 'a claim is removed', [
      () => `DELETE FROM claims WHERE run_id = '${long}'`,
      /the claim of .* is missing/,
    ]),
    sql('claims', 'a claim is added', [
      () => `INSERT INTO claims VALUES ('${asking}', '', 'claude:other', 1)`,
      /not one that was made/,
    ]),
    ...definitionCases(),
    sql('documents', 'a document is changed', [
      () => `UPDATE cards SET data = '{"x":2}' WHERE drawer = 'notes'`,
      /the document .* was changed/,
    ]),
    sql('documents', 'a document is removed', [
      () => `DELETE FROM cards WHERE drawer = 'notes'`,
      /the document .* is missing/,
    ]),
    sql('register', 'a line of the register is changed', [
      () => `UPDATE register SET text = replace(text, '${ended}', 'r_other') WHERE seq > 1`,
      /of the register was changed/,
    ]),
    sql('register', 'a line of the register is removed', [
      () => 'DELETE FROM register WHERE seq = 3',
      /line 3 of the register was changed, or is missing/,
    ]),
  ]
}

function definitionCases(): readonly EditCase[] {
  return [
    sql('definitions', 'the source of a definition is changed', [
      () => `UPDATE definition_versions SET source = replace(source, 'requires_approval', 'x')`,
      /version 1 was changed/,
    ]),
    sql('definitions', 'a definition is given other machines', [
      () => `UPDATE definition_versions SET machines = '{}'`,
      /version 1 was changed/,
    ]),
    sql('definitions', 'a definition is set back to an earlier version', [
      ({ latest }) => `UPDATE definitions SET ${latest} = 1`,
      /is at another version/,
    ]),
    sql('definitions', 'a definition is renamed', [
      () => `UPDATE definitions SET name = 'harmless'`,
      /`harmless` was changed/,
    ]),
    sql('definitions', 'a definition is removed', [
      () => 'DELETE FROM definitions',
      /the definition `release` is missing/,
    ]),
    sql('machines', 'a machine is changed', [
      () => `UPDATE machines SET compiled = replace(compiled, 'ship it?', 'fine?')`,
      /was changed in the store/,
    ]),
    sql('machines', 'a machine is removed', [() => 'DELETE FROM machines', /is missing/]),
  ]
}

function rewriteCases(): readonly EditCase[] {
  return [
    {
      ...{ table: 'snapshots', name: 'a snapshot is changed, and its log is rehashed' },
      reportedBy: 'check',
      edit: async (db) => {
        type Kept = { readonly seq: number; readonly state: string }
        const [row] = await db.all<Kept>(`SELECT seq, state FROM snapshots`)
        const state = String(row?.state).replaceAll('"plan"', '"done"')
        await db.run(`UPDATE snapshots SET state = '${state.replaceAll("'", "''")}'`)
        await rechain(db, long, [Number(row?.seq), `{"snapshot":"${hashText(state)}"}`])
      },
      says: /the snapshot is not what records 1 to/,
    },
    {
      ...{ table: 'events', name: 'a noted record is changed, and the log is hashed anew' },
      reportedBy: 'check',
      edit: async (db) => {
        await db.run(`UPDATE events SET actor = 'person:ada' WHERE run_id = '${long}' AND seq = 5`)
        await rechain(db, long)
      },
      says: /the register noted a different record/,
    },
    {
      ...{ table: 'events', name: 'a log is hashed anew, and the register too' },
      reportedBy: 'anchor',
      edit: async (db) => {
        await db.run(`UPDATE events SET actor = 'agent:x' WHERE run_id = '${asking}' AND seq = 2`)
        await rechain(db, asking)
        type Row = { readonly seq: number; readonly hash: string }
        const rows = await db.all<Row>(`SELECT seq, hash FROM events WHERE run_id = '${asking}'`)
        const hashes = new Map(rows.map((row) => [Number(row.seq), row.hash]))
        const fix = (text: string): string => {
          const entry = JSON.parse(text)
          if (entry.type === 'run.started' && entry.runId === asking) entry.hash = hashes.get(1)
          for (const head of entry.heads ?? []) {
            if (head[0] === asking) head[2] = hashes.get(head[1])
          }
          return JSON.stringify(entry)
        }
        await rewriteRegister(db, (lines) => lines.map(({ text }) => fix(text)))
      },
      says: anchored,
    },
    {
      ...{ table: 'all', name: 'a run is removed, and the register is written anew without it' },
      reportedBy: 'anchor',
      edit: async (db, names) => {
        await runRows(ended)(db, names)
        await rewriteRegister(db, (lines) => lines.map(({ text }) => text).flatMap(without(ended)))
      },
      says: anchored,
    },
    {
      ...{ table: 'all', name: 'everything after a point in time is undone' },
      reportedBy: 'anchor',
      edit: async (db, names) => {
        await runRows(ended)(db, names)
        await db.run(`DELETE FROM cards WHERE drawer = 'anchors'`)
        await rewriteRegister(db, (lines) => {
          const first = lines.findIndex(({ text }) => text.includes(ended))
          return lines.slice(0, first).map(({ text }) => text)
        })
      },
      says: anchored,
    },
  ]
}

/** An entry of the register as if there had been no such run. */
const without =
  (run: string) =>
  (text: string): readonly string[] => {
    const entry = JSON.parse(text)
    if (entry.type !== 'heads.noted') return text.includes(run) ? [] : [text]
    const heads = entry.heads.filter(([id]: readonly [string]) => id !== run)
    return [JSON.stringify({ ...entry, heads })]
  }

/** The table of the reference page. */
export function editTable(): string {
  const by = { check: '`pawl db check`', anchor: '`pawl db check --against ANCHORS`' } as const
  const rows = editCases.map((one) => `| ${one.table} | ${one.name} | ${by[one.reportedBy]} |`)
  return ['| Table | Edit by hand | Reported by |', '|---|---|---|', ...rows, ''].join('\n')
}
