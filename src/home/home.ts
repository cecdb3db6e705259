/**
 * The data directory: where it is, and where everything in it is.
 * Knows the environment and names of files. Must not know what the files hold.
 */
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { PawlError } from '../runtime/pawl-error.ts'
import { ensurePrivateFolder } from './private-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Home = {
  readonly folder: string
  readonly database: string
  readonly config: string
  readonly tokens: Readonly<Record<'agent' | 'gateway' | 'person', string>>
  /** From which the daemon makes secrets of hooks and credentials of agents. */
  readonly key: string
  /** Which folder's hooks have which secret; read by the clients of hooks. */
  readonly hookSecrets: string
  /** People beside the owner, with hashes of their tokens. */
  readonly people: string
  /** Who serves it now: pid, version, addresses. */
  readonly daemon: string
  readonly lock: string
  readonly log: string
  readonly socket: string
  /** Where hooks of hosts knock. */
  readonly hookSocket: string
  /** The client of hooks and its settings, as `pawl init` and the daemon put them there. */
  readonly bin: string
  /** Who has signed in to the page; holds hashes only. */
  readonly signIns: string
  /** The port that the HTTP door had last. */
  readonly port: string
  /** Where gateways look whether they may go on without asking. */
  readonly passes: string
  /** A folder for each job. */
  readonly jobs: string
  /** A folder for each session in a box. */
  readonly boxes: string
  /** What `pawl doctor --prove` has proved last. */
  readonly proof: string
  /** Which hooks were installed where. */
  readonly installs: string
  /** Where the socket is, when that is another folder. */
  readonly socketFolder: string | null
}

/** What decides where the data directory is. */
export type HomeSettings = {
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The home directory of the user; asked for only where it is needed. */
  readonly userFolder: () => string
  readonly cwd: string
  readonly uid: number
}

/** The shortest limit on names of sockets among the systems we run on, less the closing zero. */
const socketBytesMax = 103

/** The data directory that an environment names, for whoever runs this process. */
export function homeOf(env: Environment, cwd: string): Home {
  const uid = process.getuid?.() ?? 0
  return findHome({ env, platform: process.platform, userFolder, cwd, uid })
}

function userFolder(): string {
  try {
    return homedir()
  } catch (cause) {
    const message = 'this user has no home directory'
    throw new PawlError('FILE_UNREADABLE', message, { hint: 'set a folder with PAWL_HOME', cause })
  }
}

/** Where the data directory is. Nothing is made or looked at. */
export function findHome(settings: HomeSettings): Home {
  const folder = folderOf(settings)
  return {
    folder,
    database: join(folder, 'pawl.db'),
    config: join(folder, 'config.json'),
    tokens: {
      agent: join(folder, 'agent.token'),
      gateway: join(folder, 'gateway.token'),
      person: join(folder, 'person.token'),
    },
    key: join(folder, 'daemon.key'),
    hookSecrets: join(folder, 'bin', 'hook.secrets'),
    people: join(folder, 'people.json'),
    daemon: join(folder, 'daemon.json'),
    lock: join(folder, 'daemon.lock'),
    log: join(folder, 'daemon.log'),
    bin: join(folder, 'bin'),
    jobs: join(folder, 'jobs'),
    boxes: join(folder, 'boxes'),
    passes: join(folder, 'gateway.pass'),
    installs: join(folder, 'installs.json'),
    signIns: join(folder, 'sign-ins.json'),
    port: join(folder, 'http.port'),
    proof: join(folder, 'proof.json'),
    ...socketOf(folder, settings),
  }
}

/**
 * Makes the data directory, or closes it again; faults when it belongs to somebody else.
 * Clients do so as well: whoever could put a socket there would be handed their token.
 */
export function openHome(home: Home): void {
  ensurePrivateFolder(home.folder)
  if (home.socketFolder !== null) ensurePrivateFolder(home.socketFolder, 'refuse')
}

function folderOf({ env, platform, userFolder, cwd }: HomeSettings): string {
  const named = env.PAWL_HOME ?? ''
  if (named !== '') return resolve(cwd, named)
  const shared = env.XDG_DATA_HOME ?? ''
  // The XDG rules: a relative path there is to be ignored.
  if (isAbsolute(shared)) return join(shared, 'pawl')
  const own = platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'share']
  return join(userFolder(), ...own, 'pawl')
}

type Socket = Pick<Home, 'socket' | 'hookSocket' | 'socketFolder'>

function socketOf(folder: string, { platform, uid }: HomeSettings): Socket {
  const socket = join(folder, 'daemon.sock')
  const hookSocket = join(folder, 'hook.sock')
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  if (platform === 'win32') {
    const pipe = `\\\\.\\pipe\\pawl-${hash}`
    return { socket: pipe, hookSocket: `${pipe}-hook`, socketFolder: null }
  }
  if (Buffer.byteLength(socket) <= socketBytesMax) return { socket, hookSocket, socketFolder: null }
  // WHY not TMPDIR: a client and the daemon may be told different ones.
  const socketFolder = `/tmp/pawl-${uid}`
  const near = `${socketFolder}/${hash}`
  return { socket: `${near}.sock`, hookSocket: `${near}.hook`, socketFolder }
}
