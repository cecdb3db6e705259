/** A small sample of `npm run fuzz -- requests`, against a whole daemon in this process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openClient } from '../../src/client/index.ts'
import { operationNames } from '../../src/doors/api/operations-table.ts'
import { findHome, openHome } from '../../src/home/home.ts'
import { ensureTokens } from '../../src/home/tokens.ts'
import { openDaemon } from '../../src/main/open-daemon.ts'
import { startFuzzedRuns } from './request-runs.ts'
import { fuzzRequests } from './requests.ts'

test('requests that nobody wrote get no 5xx, and change no run of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-fuzz-'))
  const env = { PAWL_HOME: join(folder, 'home'), HOME: folder }
  const place = { env, platform: process.platform, userFolder: folder, cwd: folder }
  const home = findHome({ ...place, userFolder: () => folder, uid: process.getuid?.() ?? 0 })
  openHome(home)
  const tokens = ensureTokens(home)
  const settings = { home, port: 0, log: () => undefined, version: 'fuzz', left: false }
  const served = await openDaemon({ ...settings, stop: () => undefined })
  const person = openClient({ url: served.url, token: tokens.person })
  onTestFinished(async () => {
    person.close()
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { url } = served
  const runs = await startFuzzedRuns({ person, url, bare: tokens.agent, folder })
  const before = await runs.othersEnd()
  const round = await runs.begin('session')
  const report = await fuzzRequests({ ...round, url, seed: 7, count: 200, clients: 4 })
  expect(report.faults).toEqual([])
  expect(report.places).toEqual(expect.arrayContaining([...operationNames]))
  expect(await runs.othersEnd()).toBe(before)
}, 120_000)
