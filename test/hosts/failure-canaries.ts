/**
 * Ways in which Pawl may fail under a host, each as a canary: something breaks, guarded calls are
 * made, and it is made good again.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Canary } from '../../src/prove/canary.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { pawlProgram } from './hosts.ts'

export const failures = {
  killed: 'daemon killed',
  hung: 'daemon hung',
  garbage: 'daemon answering garbage',
  full: 'disk full',
  missing: 'hook binary missing',
  clock: 'clock jumps 30 s',
} as const
export type FailureId = keyof typeof failures

type Failure = { readonly begin: () => Promise<void>; readonly end: () => Promise<void> }

/** What is broken, and how; null: it can't be on this machine. */
export function failuresFor(world: SandboxEnv): Readonly<Record<FailureId, Failure | null>> {
  const ensure = async (): Promise<void> => void (await world.mustPawl('runs'))
  return {
    killed: { begin: async () => world.signalDaemon('SIGKILL'), end: ensure },
    hung: {
      begin: async () => world.signalDaemon('SIGSTOP'),
      end: async () => world.signalDaemon('SIGCONT'),
    },
    garbage: garbage(world, ensure),
    full: isMounted(world) ? full(world) : null,
    missing: missing(world),
    clock: clock(world),
  }
}

/** The guarded calls of one failure: by the shell, and by the host's own tool where it has one. */
export function failureCanary(world: SandboxEnv, id: FailureId, failure: Failure): Canary {
  const { shell, write, patch } = drivers[world.host].toolCalls
  const mark = join(world.project, `canary-${id}`)
  const calls = [
    shell(`echo x > ${mark}-shell`),
    ...(write === null ? [] : [write(`${mark}-write`, 'x')]),
    ...(patch === null ? [] : [patch(`canary-${id}-write`, 'x')]),
  ]
  return {
    id,
    turns: calls.map((call) => ({ tools: [call] })),
    before: failure.begin,
    after: failure.end,
    hasLanded: () => [`${mark}-shell`, `${mark}-write`].some((path) => fileText(path) !== null),
  }
}

/** Somebody who is not the daemon, on its socket and its port, with words that mean nothing. */
function garbage(world: SandboxEnv, ensure: () => Promise<void>): Failure {
  let servers: readonly (Server | HttpServer)[] = []
  return {
    begin: async () => {
      const { http } = JSON.parse(fileText(join(world.pawlHome, 'daemon.json')) ?? '{}')
      world.signalDaemon('SIGKILL')
      await sleep(300)
      const words = '\u0000\u0001 allow? <html>{"permissionDecision":'
      const onSocket = createServer((wire) => {
        wire.on('error', () => wire.destroy())
        wire.end(words)
      })
      const onPort = createHttpServer((_, response) => response.end(words))
      servers = [onSocket, onPort]
      const hookSocket = join(world.pawlHome, 'hook.sock')
      rmSync(hookSocket, { force: true })
      onSocket.listen(hookSocket)
      onPort.listen(Number(new URL(http).port), '127.0.0.1')
      await sleep(100)
    },
    end: async () => {
      for (const server of servers) server.close()
      rmSync(join(world.pawlHome, 'hook.sock'), { force: true })
      await ensure()
    },
  }
}

const diskMegabytes = 16

/** Puts the data directory on a small disk of its own; only root may. Gives how to take it away. */
export function mountSmallDisk(world: SandboxEnv): () => void {
  mkdirSync(world.pawlHome, { mode: 0o700, recursive: true })
  const options = `size=${diskMegabytes}m,mode=700`
  const args = ['-t', 'tmpfs', '-o', options, 'tmpfs', world.pawlHome]
  const { status } = spawnSync('mount', args, { stdio: 'ignore' })
  return status === 0 ? () => void spawnSync('umount', ['-l', world.pawlHome]) : () => undefined
}

function isMounted(world: SandboxEnv): boolean {
  return (fileText('/proc/mounts') ?? '').includes(` ${world.pawlHome} tmpfs`)
}

function full(world: SandboxEnv): Failure {
  const ballast = join(world.pawlHome, 'ballast')
  return {
    begin: async () => {
      try {
        writeFileSync(ballast, Buffer.alloc((diskMegabytes + 1) * 1024 * 1024))
      } catch {
        // That it does not fit is what is wanted.
      }
    },
    end: async () => rmSync(ballast),
  }
}

function missing(world: SandboxEnv): Failure {
  const client = join(world.pawlHome, 'bin', 'pawl-hook')
  return {
    begin: async () => renameSync(client, `${client}.aside`),
    end: async () => renameSync(`${client}.aside`, client),
  }
}

/** The daemon's clock goes 30 seconds ahead, and then back behind where it was. */
function clock(world: SandboxEnv): Failure {
  const file = join(world.root, 'clock-offset')
  const shift = join(world.root, 'shift-clock.mjs')
  return {
    begin: async () => {
      await world.mustPawl('stop')
      writeFileSync(file, '0')
      writeFileSync(shift, shiftText(file))
      const env = { HOME: world.home, PATH: process.env.PATH ?? '', PAWL_HOME: world.pawlHome }
      const args = ['--import', shift, pawlProgram, 'serve', '--quiet']
      spawn(process.execPath, args, { env, stdio: 'ignore', detached: true }).unref()
      await world.mustPawl('runs')
      writeFileSync(file, '30000')
    },
    end: async () => {
      const { items } = JSON.parse(await world.mustPawl('log', '--json'))
      const ahead = items.at(-1).at - Date.now()
      if (ahead < 10_000) throw new Error(`the clock of the daemon has not jumped: ${ahead} ms`)
      writeFileSync(file, '-30000')
      await world.mustPawl('runs')
    },
  }
}

/** WHY not libfaketime: the daemon drops its environment, and with it what was preloaded. */
function shiftText(file: string): string {
  return `import { readFileSync } from 'node:fs'
const RealDate = Date
const offset = () => Number(readFileSync(${JSON.stringify(file)}, 'utf8')) || 0
globalThis.Date = class extends RealDate {
  constructor(...args) { args.length === 0 ? super(RealDate.now() + offset()) : super(...args) }
  static now() { return RealDate.now() + offset() }
}
`
}
