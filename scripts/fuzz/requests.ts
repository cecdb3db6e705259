/**
 * `npm run fuzz -- requests --count 50000 --seed 1`: requests with an agent's credential against a
 * daemon of its own. Reports statuses, 5xx, effects on other runs, and memory. Ends with 1 when
 * anything failed.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openClient } from '../../src/client/index.ts'
import { openHouse } from '../../src/main/daemon.contract.ts'
import { type CredentialKind, startFuzzedRuns } from '../../test/fuzz/request-runs.ts'
import { fuzzRequests } from '../../test/fuzz/requests.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '8' },
  },
})

/** What a daemon may take: five times that of one that has just started. */
const rssMegabytesMax = 700
const startMsMax = 60_000
const partsCount = 10
/** Of five rounds, three have the credential of a session. */
const rounds: readonly CredentialKind[] = ['session', 'run', 'session', 'bare', 'session']

const megabytes = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

const house = openHouse()
const folder = mkdtempSync(join(tmpdir(), 'pawl-fuzz-'))
const daemon = house.start(['serve'])
try {
  const begun = performance.now()
  while ((house.note()?.http ?? null) === null) {
    if (performance.now() - begun > startMsMax) throw new Error(`no daemon: ${daemon.said()}`)
    await sleep(100)
  }
  const url = house.note()?.http ?? ''
  const tokenIn = (path: string): string => readFileSync(path, 'utf8').trim()
  const bare = tokenIn(join(house.folder, 'agent.token'))
  const person = openClient({ url, token: tokenIn(join(house.folder, 'person.token')) })
  const runs = await startFuzzedRuns({ person, url, bare, folder })
  const before = await runs.othersEnd()
  const statuses: Record<string, number> = {}
  const memory = [megabytes(daemon.pid)]
  const places = new Set<string>()
  const faults = []
  for (let part = 0; part < partsCount; part += 1) {
    const kind = rounds[part % rounds.length] ?? 'session'
    const report = await fuzzRequests({
      ...{ ...(await runs.begin(kind)), url, seed: Number(values.seed) * partsCount + part },
      ...{ count: Math.ceil(Number(values.count) / partsCount), clients: Number(values.clients) },
    })
    for (const [status, count] of Object.entries(report.statuses)) {
      statuses[status] = (statuses[status] ?? 0) + count
    }
    for (const place of report.places) places.add(place)
    faults.push(...report.faults)
    memory.push(megabytes(daemon.pid))
    console.log(`part ${part + 1} (${kind}): ${report.sent} requests, ${memory.at(-1)} MB`)
  }
  const after = await runs.othersEnd()
  const isOtherSame = after === before
  if (!isOtherSame) console.log(`before: ${before}\nafter: ${after}`)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(JSON.stringify({ seconds, statuses, placesCount: places.size, memory }))
  console.log(`the runs of others are the same: ${isOtherSame}`)
  for (const { status, what, body } of faults.slice(0, 20)) console.log(status, what, '\n ', body)
  const isFine = faults.length === 0 && isOtherSame && Math.max(...memory) <= rssMegabytesMax
  console.log(isFine ? 'no 5xx, no effect on other runs, memory bounded' : 'FAILED')
  process.exitCode = isFine ? 0 : 1
  person.close()
} finally {
  await house.close()
  rmSync(folder, { recursive: true, force: true })
}
