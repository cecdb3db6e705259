/**
 * A program that writes into a store until it is killed, and says what was acknowledged.
 * Started by `killed-writer.test.ts` with the path of the file.
 */
import { writeSync } from 'node:fs'
import { changeOf } from '../records.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const clientsCount = 8
const stdout = 1
const store = openSqliteStore({ path: process.argv[2] ?? '' })

async function writeForEver(runId: string): Promise<void> {
  let seq = (await store.readHead(runId))?.seq ?? 0
  for (;;) {
    const reply = { commandId: `c_${seq}`, text: `{"after":${seq}}` }
    const result = await store.commit(changeOf(runId, seq, { count: 2, reply }))
    if (result !== 'committed') throw new Error(`${runId} at ${seq}: ${result}`)
    seq += 2
    writeSync(stdout, `${runId} ${seq}\n`)
  }
}

await Promise.all(Array.from({ length: clientsCount }, (_, n) => writeForEver(`r_${n}`)))
