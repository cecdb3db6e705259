/**
 * Runs a box in this terminal: the helper makes it and holds it, the host in it has the terminal.
 * Signals and the exit code are passed on.
 */
import { spawn } from 'node:child_process'
import { frameOf } from '../runtime/frame-words.ts'

const passed = ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const
/** The terminal sends them to the host as well. */
const ignored = ['SIGINT', 'SIGQUIT'] as const
const ended = 128
const sigkill = 9

export function runBox(box: {
  readonly helper: string
  readonly words: readonly string[]
}): Promise<number> {
  const child = spawn(box.helper, ['session'], {
    argv0: 'pawl-job',
    env: {},
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  })
  const pipe = child.stdio[3]
  if (pipe !== null && pipe !== undefined && 'end' in pipe) pipe.end(frameOf(box.words))
  for (const signal of passed) process.on(signal, () => child.kill(signal))
  // Without a terminal nobody else sends it on.
  for (const signal of ignored) {
    process.on(signal, () => void (process.stdin.isTTY === true || child.kill('SIGTERM')))
  }
  return new Promise((resolve) => {
    child.once('error', (fault) => {
      process.stderr.write(`pawl: the box could not be made: ${fault.message}\n`)
      resolve(126)
    })
    child.once('exit', (code) => resolve(code ?? ended + sigkill))
  })
}
