import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'

const isForeign = process.env.PAWL_TEST_POSTGRES_URL !== undefined

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test.skipIf(isForeign)('a server ends with its owner, however that ends', async () => {
  const code = `
    import { startPostgres } from ${JSON.stringify(new URL('./start.ts', import.meta.url).href)}
    console.log((await startPostgres()).url)
    setInterval(() => {}, 1_000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(owner.stdout, 'data')
  const port = Number(new URL(`${line}`.trim()).port)
  expect(await isListening(port)).toBe(true)
  owner.kill('SIGKILL')
  for (let ms = 0; ms < 15_000 && (await isListening(port)); ms += 50) await sleep(50)
  expect(await isListening(port)).toBe(false)
})
