import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { killProcessTree, watchProcesses } from './kill-process-tree.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // One that nobody asks how it ended is not alive.
    return !hasProc || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const hasProc = process.platform === 'linux'

/** Starts a script that tells the ids of two processes beside itself. */
async function startScript(script: string) {
  const leash = watchProcesses()
  const env = { PATH: process.env.PATH ?? '', ...leash.env }
  const child = spawn('sh', ['-c', script], { env, stdio: 'pipe', detached: leash.detached })
  let said = ''
  while (said.split('\n').length < 3) said += (await once(child.stdout, 'data')).join('')
  return { child, leash, others: said.trim().split('\n').map(Number) }
}

const isGone = async (pids: readonly number[]): Promise<boolean> => {
  for (let tries = 0; tries < 100 && pids.some(isAlive); tries += 1) await sleep(20)
  return !pids.some(isAlive)
}

/** One is its child, the other belongs to nobody any more. */
const two = 'sleep 300 & echo $!; (sleep 300 & echo $!)'

test('a program that does not listen ends with all that it has started', async () => {
  const { child, leash, others } = await startScript(
    `trap '' TERM; ${two}; while :; do sleep 1; done`,
  )
  expect(others.every(isAlive)).toBe(true)
  await killProcessTree(child, leash)
  expect(await isGone([child.pid ?? 0, ...others])).toBe(true)
})

test.runIf(hasProc)(
  'what a program starts without its environment ends with it as well',
  async () => {
    const bare = 'env -i sleep 300 & echo $!; env -i sh -c "sleep 300 & echo \\$!; wait" &'
    const { child, leash, others } = await startScript(`trap '' TERM; ${bare} cat; sleep 300`)
    await killProcessTree(child, leash)
    expect(await isGone([child.pid ?? 0, ...others])).toBe(true)
  },
)

test('a program that ends when its input does is not told to', async () => {
  const { child, leash, others } = await startScript(`${two}; cat; exit 7`)
  await killProcessTree(child, leash)
  expect(child.exitCode).toBe(7)
  leash.kill(child, 'SIGKILL')
  expect(await isGone(others)).toBe(true)
})

test('of two programs only the one that is meant ends', async () => {
  const [one, other] = [await startScript(`${two}; cat`), await startScript(`${two}; cat`)]
  one.leash.kill(one.child, 'SIGKILL')
  expect(await isGone(one.others)).toBe(true)
  expect(other.others.every(isAlive)).toBe(true)
  other.leash.kill(other.child, 'SIGKILL')
  expect(await isGone(other.others)).toBe(true)
})
