import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runIn } from '../doors/cli/fake-io.contract.ts'
import type { Install } from '../doors/init/install.ts'
import type { SetupDoor } from '../doors/init/setup-door.ts'
import { isOurNode, openHouse, release } from './daemon.contract.ts'
import { openDaemonDoor } from './open-daemon-door.ts'
import { openSetupDoor } from './setup.ts'

const tools = {
  hookCommand: ({ bin, host }: { bin: string; host: string }) => `${bin}/pawl-hook ${host}`,
  installHookClient: async () => null,
  installJobHelper: async () => null,
}

function setupIn(folder: string): SetupDoor {
  return openSetupDoor({ PAWL_HOME: folder }, folder, tools)
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-setup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a port is set beside what a person wrote', () => {
  const folder = newFolder()
  const config = join(folder, 'config.json')
  const setup = setupIn(folder)
  expect(setup.readPort()).toBe(0)
  setup.keepPort(4411)
  expect(setup.readPort()).toBe(4411)
  writeFileSync(config, '{\n  // mine\n  "approvalHours": 2\n}\n')
  setup.keepPort(4412)
  expect(readFileSync(config, 'utf8')).toBe(
    '{\n  // mine\n  "approvalHours": 2,\n  "port": 4412\n}\n',
  )
  setup.keepPort(4413)
  expect(setup.readPort()).toBe(4413)
  expect(statSync(config).mode & 0o777).toBe(0o600)
})

test('the list of installs is private, and what is no list is a fault', () => {
  const folder = newFolder()
  const setup = setupIn(folder)
  const install: Install = {
    workspace: '/work',
    host: 'codex',
    hostVersion: '0.166.0',
    wire: 'command',
    at: 1,
    files: [],
    folders: [],
  }
  expect(setup.readInstalls()).toEqual([])
  setup.writeInstalls([install])
  expect(setup.readInstalls()).toEqual([install])
  const file = join(folder, 'installs.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const text of ['', '[]', '{"version":2,"installs":[]}', '{"version":1,"installs":[7]}']) {
    writeFileSync(file, text)
    expect(() => setup.readInstalls()).toThrow('was not written by Pawl')
  }
})

test('a hook calls the client in the data directory', () => {
  const setup = setupIn('/data')
  const hook = { host: 'gemini', workspace: '/work', failure: 'blocks' } as const
  expect(setup.hookCommand(hook)).toBe('/data/bin/pawl-hook gemini')
})

test.skipIf(!isOurNode)('the status line tells of the run in the workspace', async () => {
  const house = openHouse()
  onTestFinished(house.close)
  const line = async (): Promise<string> => {
    const told = { workspace: { project_dir: house.workspace }, cost: { total_cost_usd: 0.125 } }
    const input = Readable.from([JSON.stringify(told)])
    const daemon = openDaemonDoor(house.env, '/')
    return (await runIn('/', ['statusline'], { daemon, input })).out
  }
  expect(await line()).toBe('pawl: no daemon\n')
  await house.json('runs')
  expect(await line()).toBe('pawl: no run here\n')
  writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  const { runId } = await house.json('start', 'release.json')
  expect(await line()).toBe('pawl release · plan · $0.13\n')
  await house.json('signal', 'READY', '--run', runId)
  expect(await line()).toBe('pawl release · build · 5 calls left · $0.13\n')
  const { runId: next } = await house.json('start', 'release.json')
  expect(await line()).toContain('release · plan')
  // The session that speaks has a run of its own.
  await house.json('cancel', next)
  expect(await line()).toContain('release · build')
})

test('the client of hooks is installed, and the job helper where it can be made', async () => {
  const installed: string[] = []
  const install = async (name: string): Promise<null> => {
    installed.push(name)
    if (name === 'helper') throw new Error('there is no compiler')
    return null
  }
  const setup = openSetupDoor({ PAWL_HOME: newFolder() }, '/', {
    ...tools,
    installHookClient: () => install('client'),
    installJobHelper: () => install('helper'),
  })
  await setup.installPrograms()
  expect(installed.sort()).toEqual(['client', 'helper'])
})
