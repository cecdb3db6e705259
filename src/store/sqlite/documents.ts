/** Documents: small records beside the runs. */
import type { DocumentStore, StoredDocument } from '../../runtime/ports.ts'
import { documentsWritten } from '../../runtime/record/register.ts'
import { pageFrom, parseCursor, prefixEnd } from '../cursor.ts'
import { asRecord, asRecordOrNull } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

const columns = 'drawer AS collection, key, version, data, at'

export function documentCalls({ db, register, read, write }: SqliteContext): DocumentStore {
  const find = db.prepare(`SELECT ${columns} FROM cards WHERE drawer = ? AND key = ?`)
  const put = db.prepare(`INSERT INTO cards VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (drawer, key) DO UPDATE SET
      version = excluded.version, data = excluded.data, at = excluded.at`)
  const remove = db.prepare('DELETE FROM cards WHERE drawer = ? AND key = ?')
  const within = 'FROM cards WHERE drawer = ? AND key >= ? AND key < ?'
  const list = db.prepare(`SELECT ${columns} ${within} AND key > ? ORDER BY key LIMIT ?`)
  const count = db.prepare(`SELECT count(*) AS count ${within}`)
  const readDocument = (collection: string, key: string) =>
    asRecordOrNull<StoredDocument>(find.get(collection, key))
  return {
    readDocument: (collection, key) => read(() => readDocument(collection, key)),
    readDocuments: (collection, keys) =>
      read(() =>
        [...new Set(keys)].toSorted().flatMap((key) => readDocument(collection, key) ?? []),
      ),
    listDocuments: ({ collection, prefix, after, limit }) =>
      read(() => {
        const [last] = after === null ? [''] : parseCursor(after, [''])
        const rows = list.all(collection, prefix, prefixEnd(prefix), last, limit + 1)
        return pageFrom(
          rows.map((row) => asRecord<StoredDocument>(row)),
          limit,
          (document) => [document.key],
        )
      }),
    countDocuments: (collection, prefix) =>
      read(() => Number(count.get(collection, prefix, prefixEnd(prefix))?.count)),
    writeDocuments: (changes) =>
      write(() => {
        const versions = changes.map(
          ({ collection, key }) => readDocument(collection, key)?.version ?? 0,
        )
        const isStale = changes.some(({ expected }, i) => (expected ?? versions[i]) !== versions[i])
        if (isStale) return 'conflict'
        for (const [i, { collection, key, data, at }] of changes.entries()) {
          if (data === null) remove.run(collection, key)
          else put.run(collection, key, (versions[i] ?? 0) + 1, data, at)
        }
        if (changes.length > 0) register.note(documentsWritten(changes))
        return 'written'
      }),
  }
}
