/**
 * The daemon: takes the lock, opens everything in order, serves until it is stopped, and closes
 * everything in reverse order.
 */
import { existsSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireCleanEnvironment } from '../daemon/clean-environment.ts'
import { removeDaemonNote, wasLeftBehind, writeDaemonNote } from '../daemon/daemon-file.ts'
import { takeLock } from '../daemon/daemon-lock.ts'
import { findRunning } from '../daemon/find-running-daemon.ts'
import { type LogFile, openLog } from '../daemon/log-file.ts'
import { openShutdown } from '../daemon/shutdown.ts'
import { findCommand } from '../doors/cli/init/find-pawl-command.ts'
import type { Io } from '../doors/cli/io.ts'
import type { ServeWish } from '../doors/cli/remote/daemon-door.ts'
import { versionText } from '../doors/cli/version.ts'
import { quoteWord } from '../doors/hook/hook-command-line.ts'
import { type Home, homeOf, openHome } from '../home/home.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import type { Served } from './open-daemon.ts'

const closeMsMax = 10_000

/** Is the daemon until somebody ends it; gives the exit code. */
export async function serve(home: Home, wish: ServeWish, io: Io): Promise<number> {
  requireCleanEnvironment()
  process.umask(0o077)
  openHome(home)
  const onLine = wish.voice === 'json' ? { onLine: io.out } : {}
  const log = openLog(home.log, onLine)
  try {
    return await serveLocked({ home, wish, io, log })
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    // WHY not an error: clients that start a daemon at the same moment all but one come second.
    const level = fault.code === 'DAEMON_RUNNING' ? 'info' : 'error'
    log.line(level, fault.message, { code: fault.code, hint: fault.hint })
    if (wish.voice !== 'quiet') throw fault
    return 2
  } finally {
    log.close()
  }
}

type Setting = {
  readonly home: Home
  readonly wish: ServeWish
  readonly io: Io
  readonly log: LogFile
}

async function serveLocked(setting: Setting): Promise<number> {
  const { home } = setting
  const lock = takeLock(home.lock)
  if (lock === null) throw await findRunning(home)
  try {
    return await serveAlone(setting)
  } finally {
    lock.release()
  }
}

async function serveAlone({ home, wish, io, log }: Setting): Promise<number> {
  const begun = performance.now()
  const version = versionText()
  const left = wasLeftBehind(home)
  const { socket } = home
  writeDaemonNote(home, { version, socket, http: null })
  // A daemon that was killed has left its socket; with the lock it is nobody's.
  rmSync(socket, { force: true })
  const ended = openShutdown(log, wish.voice === 'quiet' ? () => undefined : io.err)
  try {
    // WHY loaded here: whoever comes second is told so at once.
    const { openDaemon } = await import('./open-daemon.ts')
    const served = await openDaemon({
      home,
      port: wish.port,
      log: log.line,
      version,
      left,
      stop: ended.stop,
    })
    writeDaemonNote(home, { version, socket, http: served.url, page: served.pageUrl })
    const startMs = Math.round(performance.now() - begun)
    const { pid } = process
    const { url, found } = served
    log.line('info', 'the daemon is running', {
      pid,
      version,
      socket,
      url,
      startMs,
      found: [...found],
    })
    if (wish.voice === 'text' && wish.shows !== 'demo')
      io.out(greeting(home, served, pawlFor(home, io)))
    const agent = await openScriptedAgent(wish.shows, { home, io, log, served })
    const why = await ended.promise
    log.line('info', 'the daemon is shutting down', { why })
    await agent?.close()
    return await close(served, log)
  } finally {
    ended.forget()
    removeDaemonNote(home)
    rmSync(socket, { force: true })
  }
}

/**
 * What a person types to meet this daemon and no other.
 * WHY `./pawl`: in a checkout, where people say `npm start`, few have `pawl` on their PATH.
 */
function pawlFor(home: Home, io: Io): string {
  const pawl = existsSync(join(io.cwd, 'pawl')) ? './pawl' : 'pawl'
  const usual = homeOf({ ...io.env, PAWL_HOME: undefined }, io.cwd)
  return home.folder === usual.folder ? pawl : `PAWL_HOME=${quoteWord(home.folder)} ${pawl}`
}

function greeting(home: Home, { url, found }: Served, pawl: string): string {
  const lines = [
    `pawl ${versionText()} serves ${home.folder}`,
    `  http    ${url}`,
    `  socket  ${home.socket}`,
    ...found.map((one) => `  · ${one}`),
    `stop it with Ctrl-C or \`${pawl} stop\``,
  ]
  return `${lines.join('\n')}\n`
}

type Showing = Omit<Setting, 'wish'> & { readonly served: Served }

type Closable = { readonly close: () => Promise<void> }

/** Sets the agent of the demo or the sample to work, and says where to look. */
async function openScriptedAgent(
  shows: ServeWish['shows'],
  showing: Showing,
): Promise<Closable | null> {
  if (shows === 'nothing') return null
  const { home, io, log, served } = showing
  const link = served.signInLink()
  const again = `${pawlFor(home, io)} open`
  if (shows === 'sample') {
    const { openSample } = await import('../sample/open-sample.ts')
    const sample = await openSample(home, log.line)
    io.out(`\n  open    ${link}\n\nanother link: ${again}\n`)
    return sample
  }
  if (shows === 'large-sample') {
    const { openLargeSample } = await import('../sample/open-large-sample.ts')
    io.out(`\n  open    ${link}\n\nanother link: ${again}\n`)
    return openLargeSample(home, log.line)
  }
  const { demoProject, openDemo } = await import('../demo/open-demo.ts')
  io.out(demoGreeting({ link, again, data: home.folder, project: demoProject(home) }))
  if (io.isTerminal) io.openUrl?.(link)
  const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  const command = findCommand({ program, env: io.env ?? {} }).text
  return openDemo({ home, log: log.line, print: io.out, command })
}

type DemoPlaces = {
  readonly link: string
  /** The command that prints another link. */
  readonly again: string
  readonly data: string
  readonly project: string
}

function demoGreeting({ link, again, data, project }: DemoPlaces): string {
  return [
    'A scripted agent fixes a bug in a small project. Watch it here and on the page;',
    'when it asks whether to merge, decide on the page.',
    '',
    `  page     ${link}`,
    `           (signs in one browser within five minutes; for another link: ${again})`,
    `  project  ${project}`,
    `  data     ${data}`,
    '           (the demo has its own daemon; your repositories use another one)',
    '',
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n')
}

/** What was begun is ended, within limits. */
async function close(served: Served, log: LogFile): Promise<number> {
  const late = new AbortController()
  const timeOver = sleep(closeMsMax, 'late' as const, { signal: late.signal }).catch(() => 'late')
  const outcome = await Promise.race([served.close().then(() => 'closed' as const), timeOver])
  late.abort()
  if (outcome === 'closed') {
    log.line('info', 'the daemon has stopped')
    return 0
  }
  log.line('warning', 'the daemon has stopped before all work was finished', { closeMsMax })
  return 1
}
