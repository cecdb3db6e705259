/**
 * Which program is at the other end of a connection on this machine: on Linux, from `/proc` and,
 * for a socket with a path, from the native helper. Whatever cannot be found out is null: this
 * must never keep a decision from being made. Must not know what the program asks for.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { DecisionPeer } from '../core/engine/decision-peer.ts'
import { truncateText } from '../runtime/truncate.ts'
import { findTcpOwner, type TcpEnds } from './tcp-owner.ts'

type PeerMeans = {
  /** The path of the native helper; may fail. */
  readonly helper: () => Promise<string>
  /** Absent: five seconds. */
  readonly lookMsMax?: number
}

/** Until it counts as unknown; a machine may be busy. */
const lookMsMaxDefault = 5_000
/** WHY less: the first time, it may have to be compiled, and a person waits. */
const helperMsMax = 1_000
/** Looks at the same time; more of them find nothing. */
const looksMax = 4
const processesMax = 20_000
/** Open files of one process that are looked at. */
const filesMax = 4_096
const tableBytesMax = 8 * 1024 * 1024
const commandLineBytesMax = 4_096
const readBytes = 64 * 1024
const answerCharsMax = 64
const pathCharsMax = 400

type Owner = { readonly uid: number; readonly pid: number | null }

/** Opens the search; what it gives never fails. */
export function openPeerFinder({
  helper,
  lookMsMax = lookMsMaxDefault,
}: PeerMeans): (connection: Socket) => Promise<DecisionPeer | null> {
  let looksCount = 0
  const readyHelper = openReadyHelper(helper)
  return async (connection) => {
    if (process.platform !== 'linux' || looksCount >= looksMax) return null
    looksCount += 1
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(), lookMsMax)
    const isOver = new Promise<null>((done) => {
      end.signal.addEventListener('abort', () => done(null))
    })
    const looking = look(connection, readyHelper, end.signal).catch(() => null)
    try {
      return await Promise.race([looking, isOver])
    } finally {
      clearTimeout(timer)
      end.abort()
      looksCount -= 1
    }
  }
}

/** The helper as soon as it is installed. Null: not yet, and somebody has begun to install it. */
function openReadyHelper(install: () => Promise<string>): () => Promise<string | null> {
  let installing: Promise<string | null> | null = null
  return async () => {
    installing ??= install().catch(() => {
      // The next one tries again: a compiler may have come meanwhile.
      installing = null
      return null
    })
    return Promise.race([installing, sleep(helperMsMax, null, { ref: false })])
  }
}

async function look(
  connection: Socket,
  helper: () => Promise<string | null>,
  signal: AbortSignal,
): Promise<DecisionPeer | null> {
  const ends = endsOf(connection)
  const owner =
    ends === null
      ? await ownerByHelper(connection, await helper(), signal)
      : await ownerByTable(ends, signal)
  if (owner === null) return null
  const { uid, pid } = owner
  if (pid === null) return { uid, pid, executable: null, script: null }
  return { uid, pid, executable: executableOf(pid), script: await scriptOf(pid) }
}

/** Null: it is no connection over TCP. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): TcpEnds | null {
  const isTcp = remoteAddress !== undefined && localAddress !== undefined
  if (!isTcp || remotePort === undefined || localPort === undefined) return null
  return { remoteAddress, remotePort, localAddress, localPort }
}

async function ownerByTable(ends: TcpEnds, signal: AbortSignal): Promise<Owner | null> {
  for (const name of ['tcp', 'tcp6']) {
    const found = findTcpOwner(await readStart(`/proc/net/${name}`, tableBytesMax), ends)
    if (found !== null) return { uid: found.uid, pid: await holderOf(found, signal) }
  }
  return null
}

/** The process that has a socket open; the newest are looked at first. Null: none that we see. */
async function holderOf(
  { inode, uid }: { readonly inode: string; readonly uid: number },
  signal: AbortSignal,
): Promise<number | null> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const newest = pids.map(Number).toSorted((a, b) => b - a)
  for (const pid of newest.slice(0, processesMax)) {
    if (signal.aborted) return null
    if (holds(pid, { inode, uid })) return pid
    // WHY: the daemon has other things to do meanwhile.
    await nextTurn()
  }
  return null
}

function holds(pid: number, { inode, uid }: { inode: string; uid: number }): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== uid) return false
    const folder = `/proc/${pid}/fd`
    const files = readdirSync(folder).slice(0, filesMax)
    return files.some((file) => linkAt(`${folder}/${file}`) === `socket:[${inode}]`)
  } catch {
    // It has ended, or is not ours to look at.
    return false
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/**
 * Null: the helper could not tell. WHY descriptor 3: Node makes the first three of a child block,
 * and this connection is still ours.
 */
async function ownerByHelper(
  connection: Socket,
  helper: string | null,
  signal: AbortSignal,
): Promise<Owner | null> {
  if (helper === null) return null
  const told = await runHelper(connection, helper, signal)
  const [, pid = '0', uid = ''] = /^(\d+) (\d+)\n$/.exec(told) ?? []
  if (uid === '') return null
  // A process of another namespace has no number here.
  return { uid: Number(uid), pid: pid === '0' ? null : Number(pid) }
}

function runHelper(connection: Socket, helper: string, signal: AbortSignal): Promise<string> {
  return new Promise((done, fail) => {
    const stdio = ['ignore', 'pipe', 'ignore', connection] as const
    const child = spawn(helper, ['peer'], { env: {}, stdio: [...stdio], signal })
    let told = ''
    child.once('error', fail)
    child.stdout?.setEncoding('latin1').on('data', (text: string) => {
      told = `${told}${text}`.slice(0, answerCharsMax)
    })
    const isFlowing = connection.readableFlowing === true
    child.once('close', () => {
      // Node stops reading a connection that it hands to a child.
      if (isFlowing) connection.resume()
      done(told)
    })
  })
}

function executableOf(pid: number): string | null {
  const path = linkAt(`/proc/${pid}/exe`)
  return path === null ? null : truncateText(path, pathCharsMax)
}

/** WHY only a file that exists: other arguments may hold secrets. */
async function scriptOf(pid: number): Promise<string | null> {
  try {
    const line = await readStart(`/proc/${pid}/cmdline`, commandLineBytesMax)
    const first = line
      .split('\0')
      .slice(1)
      .find((word) => word !== '' && !word.startsWith('-'))
    if (first === undefined) return null
    const path = resolve(readlinkSync(`/proc/${pid}/cwd`), first)
    return statSync(path).isFile() ? truncateText(path, pathCharsMax) : null
  } catch {
    return null
  }
}

/** The beginning of a file whose size the system does not tell. */
async function readStart(path: string, bytesMax: number): Promise<string> {
  const file = await open(path)
  try {
    const parts: Buffer[] = []
    for (let size = 0; size < bytesMax; ) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(readBytes) })
      if (bytesRead === 0) break
      parts.push(buffer.subarray(0, bytesRead))
      size += bytesRead
    }
    return Buffer.concat(parts).toString('utf8')
  } finally {
    await file.close()
  }
}
