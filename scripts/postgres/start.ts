/**
 * A PostgreSQL server for tests: its own folder, its own port, gone when its owner is gone.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, lchown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bringBinaries } from './binaries.ts'

export type PostgresServer = {
  /** Of a database that may be written to, as a user who may do everything. */
  readonly url: string
  /** Stops every process of it in its tracks: it accepts, and does not answer. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Kills every process of it without warning; nothing is flushed. */
  readonly kill9: () => Promise<void>
  /** Starts it again on the same data and port, after a stop if it runs. */
  readonly restart: () => Promise<void>
  /** Stops it and removes its data. */
  readonly stop: () => Promise<void>
}

const run = promisify(execFile)
const startMsMax = 30_000
const startAttemptsMax = 5
const pollMs = 20
const wordsMax = 4_000
const user = 'pawl'
const password = randomUUID()
// WHY: PostgreSQL does not run as root; this user exists wherever there is a list of users.
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const owner = isRoot ? { uid: nobody, gid: nobody } : {}

// WHY: whoever starts it holds the other end of its input. When that end closes, for whatever
//      reason (kill -9 of the test run among them), the server stops and its folder goes. It also
//      closes when a server ends on its own, as one does that met the rest of a killed one: then
//      its owner is there, and needs the folder to try again.
const script = `
exec 3<&0
( (
  read -r line <&3
  [ "$line" = leave ] && exit
  kill -INT $$
  for n in 1 2 3 4 5 6 7 8 9; do kill -0 $$ || break; sleep 0.$n; done
  [ -e "/proc/$PAWL_TEST_OWNER" ] || rm -rf "$PAWL_TEST_FOLDER"
) </dev/null >/dev/null 2>&1 & )
exec "$@" 3<&- </dev/null
`

/** Starts a server, or gives back the one that `PAWL_TEST_POSTGRES_URL` names. */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.PAWL_TEST_POSTGRES_URL
  if (given !== undefined && given !== '') return foreignServer(given)
  const folder = await mkdtemp(join(tmpdir(), 'pawl-postgres-'))
  try {
    await chmod(folder, 0o755)
    const binaries = await bringBinaries(folder)
    await makeData(binaries, folder)
    return await serve({ binaries, folder, port: await findPort() })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function foreignServer(url: string): PostgresServer {
  const refuse = (): never => {
    throw new Error('PAWL_TEST_POSTGRES_URL names a server that these tests may not stop: unset it')
  }
  return {
    url,
    freeze: refuse,
    thaw: refuse,
    kill9: async () => refuse(),
    restart: async () => refuse(),
    stop: async () => undefined,
  }
}

// The server runs as this user, and removes the folder when its owner cannot. WHY not the files
// that are linked: they are those of the checkout.
async function handOver(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await lstat(path)
    if (found.isDirectory() || found.nlink === 1) await lchown(path, nobody, nobody)
  }
}

async function makeData(binaries: string, folder: string): Promise<void> {
  const [data, secret] = [join(folder, 'data'), join(folder, 'socket/password')]
  for (const name of ['data', 'socket']) await mkdir(join(folder, name), { mode: 0o700 })
  await writeFile(secret, password)
  if (isRoot) await handOver(folder)
  const access = ['-U', user, '-A', 'password', '--pwfile', secret]
  // WHY no sync: what initdb writes is thrown away with the folder. The server has fsync on.
  const flags = ['-D', data, ...access, '-E', 'UTF8', '--no-locale', '--no-sync']
  await run(join(binaries, 'initdb'), flags, { cwd: folder, env: {}, ...owner })
}

async function serve(place: ServerLocation): Promise<PostgresServer> {
  let server: ChildProcess | null = await start(place)
  const halt = async (signal: NodeJS.Signals) => {
    if (server === null) return
    const ending = server
    server = null
    ending.ref()
    const hasEnded = once(ending, 'exit')
    await dismiss(ending)
    if (signal === 'SIGKILL') signalAll(ending, signal)
    else ending.kill(signal)
    await hasEnded
  }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${place.port}/postgres`,
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
    kill9: () => halt('SIGKILL'),
    restart: async () => {
      await halt('SIGINT')
      server = await start(place)
    },
    stop: async () => {
      await halt('SIGINT')
      await rm(place.folder, { recursive: true, force: true })
    },
  }
}

// Tells the one who watches over the folder that the server will end on purpose.
async function dismiss(server: ChildProcess): Promise<void> {
  await new Promise<void>((done) => server.stdin?.end('leave\n', () => done()))
}

type ServerLocation = { readonly binaries: string; readonly folder: string; readonly port: number }

// WHY: after a kill -9 the last helpers of the old server may hold its memory for a moment.
async function start(place: ServerLocation): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    const server = spawnServer(place)
    const words = collectWords(server)
    if (await isReady(server, place.folder)) return server
    await dismiss(server)
    server.kill('SIGINT')
    if (attempt === startAttemptsMax) throw new Error(`PostgreSQL did not start: ${words()}`)
    await sleep(200)
  }
}

function spawnServer({ binaries, folder, port }: ServerLocation): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: join(folder, 'socket'),
    fsync: 'on',
    shared_buffers: '16MB',
    max_connections: '200',
    log_min_messages: 'fatal',
    // WHY: after a kill it would sync a thousand files one by one, which takes seconds. Linux only.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(binaries, 'postgres'), '-D', join(folder, 'data'), '-p', `${port}`]
  const server = spawn('/bin/sh', ['-c', script, 'sh', ...command, ...flags], {
    cwd: folder,
    env: {
      PATH: '/usr/bin:/bin',
      PAWL_TEST_FOLDER: folder,
      PAWL_TEST_OWNER: `${process.pid}`,
    },
    stdio: ['pipe', 'ignore', 'pipe'],
    // WHY: an interrupt typed at a terminal goes to the whole group; the server follows its owner.
    detached: true,
    ...owner,
  })
  // An owner that ends without a word does not wait for the server: the server watches it.
  server.unref()
  for (const pipe of [server.stdin, server.stderr]) if (pipe instanceof Socket) pipe.unref()
  return server
}

function collectWords(server: ChildProcess): () => string {
  let text = ''
  server.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-wordsMax)
  })
  return () => text.trim()
}

// The server's own file has its process id in the first line, and `ready` in the last.
async function isReady(server: ChildProcess, folder: string): Promise<boolean> {
  const file = join(folder, 'data/postmaster.pid')
  for (let waitedMs = 0; waitedMs < startMsMax; waitedMs += pollMs) {
    if (server.exitCode !== null || server.signalCode !== null) return false
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    if (lines.at(-1)?.trim() === 'ready' && lines[0] === `${server.pid}`) return true
    await sleep(pollMs)
  }
  return false
}

// WHY: each helper of the server leads a session of its own, so no signal to a group reaches it.
function listChildren(parent: number): readonly number[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readParent(pid) === parent)
}

function readParent(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null // it has ended meanwhile
  }
}

function signalAll(server: ChildProcess | null, signal: NodeJS.Signals): void {
  if (server?.pid === undefined) return
  for (const pid of [server.pid, ...listChildren(server.pid)]) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function findPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
