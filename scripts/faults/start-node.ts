/**
 * Starts nodes as processes of their own and ends them, mostly without warning.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { NodeSettings } from './settings.ts'

export type NodeProcess = {
  readonly pid: number
  readonly kill9: () => Promise<void>
  /** Resolves when it has ended, by itself or not. */
  readonly ended: Promise<void>
}

const startMsMax = 60_000

export async function startNode(settings: NodeSettings): Promise<NodeProcess> {
  const script = join(import.meta.dirname, 'node.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // WHY: a hundred starts in a row; the second one need not read the sources again.
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/faults'),
    },
  })
  const ended = once(child, 'exit').then(() => undefined)
  await Promise.race([ready(child), ended, tooLate()])
  if (child.pid === undefined || child.exitCode !== null) throw new Error('a node did not start')
  return {
    pid: child.pid,
    ended,
    kill9: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function ready(child: ChildProcess): Promise<void> {
  if (child.stdout !== null) await once(child.stdout, 'data')
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('a node did not start in time')), startMsMax).unref()
  })
}
