/** The real input and output of the program, and its last message before it crashes. */
import type { Io } from '../doors/cli/io.ts'
import { homeOf } from '../home/home.ts'
import { openDaemonDoor } from './open-daemon-door.ts'
import { openUrl } from './open-url.ts'

type Stdio = {
  readonly io: Io
  /** Waits until everything is written, then ends the program. */
  readonly close: (exitCode: number) => Promise<never>
}

const columnsDefault = 80

/** The world as this process sees it. */
export function openStdio(): Stdio {
  const { stdout, stderr, env } = process
  const out = writer(stdout)
  const err = writer(stderr)
  const cwd = currentFolder()
  const isTerminal = stdout.isTTY === true
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb'
  return {
    io: {
      out: out.write,
      err: err.write,
      bytes: (stream, bytes) => (stream === 'stdout' ? out : err).write(bytes),
      isTerminal,
      hasColour: isTerminal && !isPlain,
      // Read anew each time: a person may widen the terminal.
      get columns() {
        return stdout.columns ?? columnsDefault
      },
      cwd,
      env,
      // WHY a getter: Node opens its input at the first look, and most verbs never read it.
      get input() {
        return process.stdin
      },
      // WHY a getter: most verbs need no daemon.
      get daemon() {
        return openDaemonDoor(env, cwd)
      },
      setup: async () => {
        const { openSetupDoor } = await import('./setup.ts')
        const { hookCommand } = await import('../doors/hook/hook-command-line.ts')
        const { installHookClient } = await import('../daemon/install-hook-client.ts')
        const { installJobHelper } = await import('../daemon/install-job-helper.ts')
        return openSetupDoor(env, cwd, { hookCommand, installHookClient, installJobHelper })
      },
      doctor: async () => {
        const { openDoctorDoor } = await import('./doctor.ts')
        const { keepingProof } = await import('../home/proof-file.ts')
        return keepingProof(openDoctorDoor(env), homeOf(env, cwd))
      },
      openUrl: (url) => openUrl(url, env),
      runBox: async (box) => (await import('./run-box.ts')).runBox(box),
      askHook: async (ask) => {
        const { askDaemon } = await import('../doors/hook/client/node-client.ts')
        const { readHookSecret } = await import('../home/hook-secrets.ts')
        const { hookSocket: socket, ensure } = openDaemonDoor(env, cwd)
        const token = (): string => readHookSecret(homeOf(env, cwd), ask)
        const means = { socket, ensure, token, input: process.stdin }
        const runId = env.PAWL_RUN === '' ? null : (env.PAWL_RUN ?? null)
        if (ask.scope !== 'user' || runId !== null) return askDaemon(means, { ...ask, runId })
        const { isConcerned: concerns } = await import('../home/guarded-list.ts')
        const isConcerned = (payload: Buffer): boolean =>
          concerns(homeOf(env, cwd), ask.workspace ?? '/', payload.toString('utf8'))
        return askDaemon({ ...means, isConcerned }, { ...ask, runId })
      },
    },
    close: async (exitCode) => {
      await Promise.all([out.flush(), err.flush()])
      return process.exit(out.hasFailed() ? 2 : exitCode)
    },
  }
}

type Writer = {
  readonly write: (text: string | Uint8Array) => void
  readonly flush: () => Promise<void>
  /** Whether something was lost that a reader was still waiting for: a full disk, say. */
  readonly hasFailed: () => boolean
}

/** Writes until the reader goes away, as `head` does; then the work goes on in silence. */
function writer(stream: NodeJS.WriteStream): Writer {
  let isOpen = true
  let hasFailed = false
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    isOpen = false
    hasFailed = fault.code !== 'EPIPE'
  })
  return {
    write: (text) => {
      if (isOpen) stream.write(text)
    },
    flush: () =>
      new Promise((resolve) => {
        if (isOpen) stream.write('', () => resolve())
        else resolve()
      }),
    hasFailed: () => hasFailed,
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
    process.stderr.write('pawl: the current folder was removed; `cd` to another one\n')
    process.exit(2)
  }
}

/** One line about a bug in Pawl itself; the whole of it only where somebody looks for it. */
export function tellFault(fault: unknown): void {
  const message = fault instanceof Error ? fault.message : String(fault)
  const line = message.replace(/\s+/g, ' ').trim()
  const isDebug = process.env.PAWL_DEBUG === '1'
  const hint = isDebug ? '' : ' (set PAWL_DEBUG=1 to see where; please report it)'
  process.stderr.write(`pawl: internal error: ${line}${hint}\n`)
  if (isDebug && fault instanceof Error) process.stderr.write(`${fault.stack}\n`)
}
