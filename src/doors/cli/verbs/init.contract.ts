/**
 * What tests of init share: a workspace, hosts that are only shell scripts, and a setup that calls
 * no daemon.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Install } from '../../init/install.ts'
import type { SetupDoor } from '../../init/setup-door.ts'
import { type FakeIoResult, runIn } from '../fake-io.contract.ts'
import type { Io } from '../io.ts'
import type { DaemonDoor } from '../remote/daemon-door.ts'

export const token = 'a-token-that-nobody-may-see'

export type Bench = {
  readonly workspace: string
  /** The home of the user. */
  readonly user: string
  readonly installs: () => readonly Install[]
  readonly setup: () => SetupDoor
  readonly pawl: (...args: string[]) => Promise<FakeIoResult>
  readonly pawlWith: (io: Partial<Io>, ...args: string[]) => Promise<FakeIoResult>
  readonly write: (path: string, text: string) => void
  readonly read: (path: string) => string
  readonly has: (path: string) => boolean
  /** Puts a host on the path. */
  readonly host: (name: string, version: string) => void
  /** Moves the data directory of Pawl. */
  readonly move: (home: string) => void
}

/** A new folder to work in. */
export function openBench(): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-init-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, 'work')
  const bin = join(root, 'bin')
  const user = join(root, 'user')
  for (const folder of [workspace, bin, user]) mkdirSync(folder)
  let home = join(root, 'home')
  let installs: readonly Install[] = []
  let port = 4411
  const setup = (): SetupDoor => ({
    node: '/opt/node',
    program: '/opt/pawl/dist/main/pawl.js',
    env: { PATH: bin, HOME: user },
    home,
    hookCommand: ({ host, workspace: folder, failure }) =>
      `'${home}/bin/pawl-hook' ${host} ${folder === null ? '--user "$(pwd)"' : `'${folder}'`} ` +
      `|| exit ${failure === 'blocks' ? 2 : 0}`,
    installPrograms: async () => undefined,
    hookSecret: () => token,
    readPort: () => port,
    keepPort: (next) => {
      port = next
    },
    readInstalls: () => installs,
    writeInstalls: (next) => {
      installs = next
    },
    settingsProblems: () => [],
  })
  const daemon = {
    token: () => token,
    ensure: async () => undefined,
    find: () => ({ pid: 1, version: '0', http: `http://127.0.0.1:${port}` }),
  } as unknown as DaemonDoor
  const path = (name: string): string => join(workspace, name)
  const pawlWith: Bench['pawlWith'] = (io, ...args) =>
    runIn(workspace, args, { daemon, setup: async () => setup(), ...io })
  return {
    workspace,
    user,
    installs: () => installs,
    setup,
    pawl: (...args) => pawlWith({}, ...args),
    pawlWith,
    write: (name, text) => {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    host: (name, version) => {
      writeFileSync(join(bin, name), `#!/bin/sh\necho '${version} (a host)'\n`)
      chmodSync(join(bin, name), 0o755)
    },
    move: (next) => {
      home = next
    },
  }
}
