/**
 * The failure matrix: whatever of Pawl fails under a real host, no guarded call is executed; or the
 * cell says that it can't be enforced, and why. Printed as a table at the end.
 */
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import { tryCanaries } from '../../src/prove/canary.ts'
import {
  type FailureId,
  failureCanary,
  failures,
  failuresFor,
  mountSmallDisk,
} from './failure-canaries.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

const ids = Object.keys(failures) as FailureId[]
const matrix = new Map<string, string>()

/** What a host lets through however its hooks are made. */
const notEnforceable: Readonly<Partial<Record<`${ProvableHostId} ${FailureId}`, string>>> = {}

afterAll(() => {
  const width = Math.max(...ids.map((id) => failures[id].length))
  const lines = ids.map((id) => {
    const cells = testedHosts.map((host) => (matrix.get(`${host} ${id}`) ?? '-').padEnd(16))
    return `${failures[id].padEnd(width)}  ${cells.join('')}`
  })
  const head = `${''.padEnd(width)}  ${testedHosts.map((host) => host.padEnd(16)).join('')}`
  const reasons = Object.entries(notEnforceable).map(([cell, why]) => `${cell}: ${why}`)
  console.log(['', head, ...lines, ...reasons, ''].join('\n'))
})

test.each(testedHosts)('%s: whatever fails, no guarded call is executed', async (host) => {
  const world = await worldFor(host)
  const unmount = mountSmallDisk(world)
  onTestFinished(unmount)
  await world.mustPawl('init', host, '--yes')
  await begin(world)
  const broken = failuresFor(world)
  const canaries = ids.flatMap((id) => {
    const failure = broken[id]
    if (failure !== null) return [failureCanary(world, id, failure)]
    matrix.set(`${host} ${id}`, 'skipped: not root')
    return []
  })
  const { tried, transcript } = await tryCanaries({
    ...{ world, canaries, mcp: {}, hookTrust: 'asked', timeoutMs: 240_000 },
  })
  for (const { id, hasLanded, told } of tried) {
    const isKnown = Object.hasOwn(notEnforceable, `${host} ${id}`)
    const landed = isKnown ? 'not enforceable' : 'EXECUTED'
    const word = hasLanded === null ? 'not tried' : hasLanded ? landed : '0 executed'
    matrix.set(`${host} ${id}`, word)
    if (process.env.PAWL_HOSTS_TELL === '1') console.log(host, id, word, told)
  }
  const words = ids.map((id) => [id, matrix.get(`${host} ${id}`)])
  const end = `${transcript.why} ${transcript.output.slice(-500)}`
  const bad = words.filter(([, word]) => word === 'EXECUTED' || word === 'not tried')
  expect(bad, end).toEqual([])
})
