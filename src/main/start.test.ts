/** For which folder `pawl start` begins a run: the one whose hooks are to hold the agent. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeIoResult, runIn } from '../doors/cli/fake-io.contract.ts'
import { type House, isOurNode, openHouse, release } from './daemon.contract.ts'
import { openDaemonDoor } from './open-daemon-door.ts'
import { openSetupDoor } from './setup.ts'

const tools = {
  hookCommand: () => '',
  installHookClient: async () => null,
  installJobHelper: async () => null,
}
describe.runIf(isOurNode)('the folder of a run', () => {
  let house: House
  /** The workspace, and a folder deep in it. */
  let [top, deep] = ['', '']
  beforeAll(async () => {
    house = openHouse()
    top = realpathSync(house.workspace)
    deep = join(top, 'src', 'deep')
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(top, 'release.json'), JSON.stringify(release))
    await house.json('definitions', 'add', 'release.json')
  })
  afterAll(() => house?.close(), 60_000)
  beforeEach(() => putInstalls(top))

  function putInstalls(...folders: readonly string[]): void {
    const rest = { hostVersion: null, wire: 'command', at: 1, files: [], folders: [] } as const
    const installs = folders.map((workspace) => ({ workspace, host: 'claude', ...rest }) as const)
    openSetupDoor(house.env, top, tools).writeInstalls(installs)
  }

  function start(cwd: string, ...more: readonly string[]): Promise<FakeIoResult> {
    const daemon = openDaemonDoor(house.env, cwd)
    const setup = async () => openSetupDoor(house.env, cwd, tools)
    return runIn(cwd, ['start', 'release', ...more], { daemon, setup })
  }

  async function folderOf(cwd: string, ...more: readonly string[]): Promise<unknown> {
    const { code, out, err } = await start(cwd, ...more, '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return (await house.json('state', JSON.parse(out).runId)).head.workspace
  }

  test('is the nearest one at or above the current where `pawl init` was run', async () => {
    expect(await folderOf(deep)).toBe(top)
    expect(await folderOf(top)).toBe(top)
    putInstalls(top, join(top, 'src'), join(top, 'sr'))
    expect(await folderOf(deep)).toBe(join(top, 'src'))
  })

  test('is the current one where there is no such folder', async () => {
    putInstalls(join(top, 'src', 'deep', 'er'), join(top, 'sr'))
    expect(await folderOf(deep)).toBe(deep)
  })

  test('is the one that is named, whatever has hooks', async () => {
    expect(await folderOf(deep, '--workspace', '.')).toBe(deep)
  })

  test('is found by its real name', async () => {
    const link = join(house.folder, '..', 'link')
    symlinkSync(deep, link)
    expect(await folderOf(link)).toBe(top)
  })

  test('is said in one line where it is not the current one', async () => {
    const { code, err } = await start(deep)
    expect(code).toBe(0)
    expect(err).toContain(`the run is for \`${top}\``)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(await start(top)).toMatchObject({ code: 0, err: '' })
    expect(await start(deep, '--workspace', '.')).toMatchObject({ code: 0, err: '' })
  })

  test('is the current one, and a remark, where the list of folders cannot be read', async () => {
    writeFileSync(join(house.folder, 'installs.json'), 'nonsense')
    expect(await folderOf(deep)).toBe(deep)
    const { code, err } = await start(deep)
    expect(code).toBe(0)
    expect(err).toContain('installs.json')
    expect(err).toContain(`the run is for \`${deep}\``)
  })
})
