/**
 * A program that writes into a store until it is killed, and prints what was acknowledged.
 * Started by `killed-writer.test.ts` with the path of the file.
 */
import { writeSync } from 'node:fs'
import { errorCodeOf } from '../../runtime/error-code.ts'
import { changeOf, eventOf } from '../sample-records.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

const clientsCount = 8
const stdout = 1
const [path = ''] = process.argv.slice(2)
const store = openSqliteStore({ path })

async function writeForEver(runId: string): Promise<void> {
  let seq = (await store.readHead(runId))?.seq ?? 0
  for (;;) {
    const commandId = `c_${seq}`
    const reply = { commandId, text: `{"after":${seq}}` }
    const events = [1, 2].map((more) => eventOf(seq + more, { member: runId, commandId }))
    const result = await store.commit(changeOf(runId, seq, { events, reply }))
    if (result !== 'committed') throw new Error(`${runId} at ${seq}: ${result}`)
    seq += 2
    print(`${runId} ${seq}\n`)
  }
}

/** WHY again: whoever reads may be slower than this. */
function print(text: string): void {
  for (;;) {
    try {
      writeSync(stdout, text)
      return
    } catch (fault) {
      if (errorCodeOf(fault) !== 'EAGAIN') throw fault
    }
  }
}

await Promise.all(Array.from({ length: clientsCount }, (_, n) => writeForEver(`r_${n}`)))
