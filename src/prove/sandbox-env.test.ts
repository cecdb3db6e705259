import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openSandboxEnv } from './sandbox-env.ts'

const open = () =>
  openSandboxEnv({ host: 'claude', program: '/bin/true', pawl: ['/bin/echo', "it's"] })

test('a world has a `pawl` of its own, for people and for the shell of the agent', async () => {
  const world = await open()
  expect(await world.mustPawl('runs')).toBe("it's runs\n")
  const shell = spawn('pawl', ['runs'], { env: world.env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [said] = await once(shell.stdout, 'data')
  expect(String(said)).toBe("it's runs\n")
  await world.close()
  expect(existsSync(world.root)).toBe(false)
})

test('a verb that fails is told with its words', async () => {
  const world = await openSandboxEnv({ host: 'claude', program: '/bin/true', pawl: ['/bin/false'] })
  expect(await world.pawl('x')).toMatchObject({ code: 1 })
  await expect(world.mustPawl('init', 'x')).rejects.toThrow('`pawl init x` gave 1')
  await world.close()
})

test.runIf(process.platform === 'linux')(
  'what still works on its data ends with it, though it has left no word',
  async () => {
    const world = await open()
    const late = spawn('sleep', ['60'], { env: world.env, detached: true, stdio: 'ignore' })
    await once(late, 'spawn')
    const ended = once(late, 'exit')
    await world.close()
    expect((await ended)[1]).toBe('SIGKILL')
  },
)
