/**
 * The record of a decision tells which program sent it: a script that has taken the person's token
 * does not look like `pawl`.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installJobHelper } from '../daemon/install-job-helper.ts'
import { homeOf, openHome } from '../home/home.ts'
import { type House, isOurNode, openHouse, program, release, until } from './daemon.contract.ts'

type Decided = { readonly type: string; readonly data: { readonly peer?: object } }

const overHttp = `const [url, token, id] = process.argv.slice(1)
  fetch(url + '/v1/approvals/' + encodeURIComponent(id), {
    method: 'POST', body: '{"granted":false,"note":"no"}',
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
  }).then((told) => process.exit(told.ok ? 0 : 1))`

const overSocket = `const [path, token, id] = process.argv.slice(1)
  const line = require('node:net').connect(path).once('data', () => process.exit(0))
  const input = { id, granted: true }
  line.write(JSON.stringify({ id: 1, op: 'approvals.decide', token, input }) + '\\n')`

describe.runIf(isOurNode && process.platform === 'linux')(
  'a decision',
  { timeout: 120_000 },
  () => {
    let house: House
    beforeAll(async () => {
      house = openHouse()
      const home = homeOf(house.env, house.workspace)
      openHome(home)
      // WHY: the daemon begins with this at the first decision, which does not wait for long.
      await installJobHelper(home)
      writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
      const daemon = house.start(['serve'])
      await until(() => typeof house.note()?.http === 'string', `a daemon: ${daemon.said()}`)
    }, 120_000)
    afterAll(() => house.close())

    async function ask(): Promise<{ readonly runId: string; readonly id: string }> {
      const { runId } = await house.json('start', 'release.json')
      await house.json('signal', 'READY', '--run', runId, '--as', 'agent')
      const { view } = await house.json('signal', 'SHIP', '--run', runId, '--as', 'agent')
      return { runId, id: view.approval?.id ?? '' }
    }

    async function decided(runId: string): Promise<Decided | undefined> {
      const { items } = await house.json('log', runId)
      const records = items as unknown as readonly Decided[]
      return records.find(({ type }) => type === 'approval.granted' || type === 'approval.refused')
    }

    function runNode(code: string, where: string, id: string): number {
      const token = readFileSync(join(house.folder, 'person.token'), 'utf8').trim()
      const child = spawnSync(process.execPath, ['-e', code, where, token, id])
      expect(child.status, String(child.stderr)).toBe(0)
      return child.pid
    }

    const user = { uid: process.getuid?.(), executable: process.execPath }

    test('of `pawl approve` names the process and its script', async () => {
      const { runId, id } = await ask()
      const { pid, ended } = house.start(['approve', id])
      expect(await ended).toMatchObject({ code: 0 })
      const peer = { ...user, pid, script: program }
      expect(await decided(runId)).toMatchObject({ type: 'approval.granted', data: { peer } })
      const { out } = await house.cli('log', runId)
      expect(out).toContain(`sent by ${process.execPath} ${program} (pid ${pid}, user ${user.uid})`)
      expect((await house.cli('log', runId, '--verify')).code).toBe(0)
    })

    const thieves = [
      { name: 'HTTP', code: overHttp, type: 'approval.refused', where: () => house.note()?.http },
      {
        ...{ name: 'the socket', code: overSocket, type: 'approval.granted' },
        where: () => join(house.folder, 'daemon.sock'),
      },
    ]
    test.each(thieves)('of `node -e` over $name has no script', async ({ code, type, where }) => {
      const { runId, id } = await ask()
      const pid = runNode(code, where() ?? '', id)
      expect(await decided(runId)).toMatchObject({ type, data: { peer: { ...user, pid } } })
      const { out } = await house.cli('log', runId)
      expect(out).toContain(`sent by ${process.execPath} (pid ${pid}, user ${user.uid})`)
    })
  },
)
