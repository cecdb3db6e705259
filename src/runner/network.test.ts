/**
 * Jobs that may connect to some hosts and ports, and nowhere else, tried from the inside.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createPlainServer, type Server as PlainServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Destination } from './destinations.ts'
import { killJob } from './kill-job.ts'
import { openRunner } from './open-runner.ts'
import { waitForEnd } from './running-job.ts'
import { childrenOf, openScratch, type Scratch, supervisorOf } from './scratch.contract.ts'

const opened: Scratch[] = []
const heard: string[] = []
const plainHeard: string[] = []
let web: Server
let plain: PlainServer
let port = 0
let otherPort = 0

const portOf = (server: PlainServer): number => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

beforeAll(async () => {
  web = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.host}`)
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
    })
    request.on('end', () => {
      if (request.url === '/big') response.end(Buffer.alloc(3_000_000, 'x'))
      else response.end(`reached ${bytes} ${request.headers['proxy-connection'] ?? ''}`)
    })
  })
  plain = createPlainServer((socket) => {
    plainHeard.push('connected')
    socket.end('other')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  port = portOf(web)
  otherPort = portOf(plain)
})

afterAll(async () => {
  for (const one of opened) await one.remove()
  web.close()
  plain.close()
})

const rows = ['spaces', 'bubblewrap'] as const

async function openBoxed(row: (typeof rows)[number]): Promise<Scratch | null> {
  const scratch = openScratch({ leaveOut: row === 'spaces' ? [] : ['spaces'] })
  opened.push(scratch)
  const { level } = await scratch.runner.isolation()
  return level === 'full' || level === 'isolated' ? scratch : null
}

const here = (): readonly Destination[] => [{ host: '127.0.0.1', ports: [port] }]

test.for(rows)('in %s a job reaches the host and port of its list', async (row, { skip }) => {
  const scratch = await openBoxed(row)
  if (scratch === null) return skip('this machine has no such box')
  const command = [
    `curl -s http://127.0.0.1:${port}/one`,
    // A tunnel, as for https.
    `curl -s -p http://127.0.0.1:${port}/two`,
    `head -c 2000000 /dev/zero | curl -s -T - http://127.0.0.1:${port}/three`,
    `curl -s -p http://127.0.0.1:${port}/big | wc -c`,
    `curl -s http://127.0.0.1:${port}/big | wc -c`,
  ].join('; echo; ')
  const result = await scratch.run({ command }, { network: here() })
  const said = result.stdout_summary.trim().split(/\s*\n/)
  expect(said).toEqual(['reached 0', 'reached 0', 'reached 2000000', '3000000', '3000000'])
  expect(heard).toContain(`GET /one 127.0.0.1:${port}`)
  expect(result).toMatchObject({ exit_code: 0, network_refused: 0, warnings: [] })
  expect(result.isolation.network).toBe(`only 127.0.0.1:${port}`)
})

test.for(rows)('in %s whatever else is refused in words and counted', async (row, { skip }) => {
  const scratch = await openBoxed(row)
  if (scratch === null) return skip('this machine has no such box')
  const command = [
    `curl -s -w '%{http_code}\\n' http://127.0.0.1:${otherPort}/`,
    `curl -s -p -w '%{http_connect}\\n' http://127.0.0.1:${otherPort}/`,
    `curl -s -w '%{http_connect}\\n' https://example.org/`,
    `curl -s -w '%{http_code}\\n' http://localhost:${port}/`,
    `curl -s -o /dev/null -w '%{http_code}\\n' -x '' $HTTP_PROXY/x`,
  ].join('; ')
  const result = await scratch.run({ command }, { network: here() })
  const said = result.stdout_summary
  expect(said.match(/^403$/gm)).toHaveLength(5)
  expect(said).toContain(`this job may not connect to 127.0.0.1:${otherPort}; allowed: 127.0.0.1:`)
  expect(result.network_refused).toBe(5)
  expect(result.warnings.join()).toContain(`127.0.0.1:${otherPort} (2×), example.org:443`)
  expect(plainHeard).toEqual([])
})

test.for(rows)('in %s nothing leads past the way out', async (row, { skip }) => {
  const scratch = await openBoxed(row)
  if (scratch === null) return skip('this machine has no such box')
  // WHY -f: the relay may have the very port in there that the server has out here, and says 403.
  const direct = `curl -s -f -m 5 --noproxy '*'`
  const command = [
    `${direct} http://127.0.0.1:${port}/direct || echo no`,
    `${direct} http://192.0.2.1/ || echo no`,
    `timeout 5 bash -c 'exec 3<>/dev/udp/1.1.1.1/53 && echo x >&3' 2>&1 || echo no`,
    `getent hosts example.org || echo no`,
    'ls /sys/class/net /proc/1/fd 2>/dev/null | grep -v lo',
  ].join('; ')
  const result = await scratch.run({ command }, { network: here() })
  expect(result.stdout_summary.match(/^no$/gm), result.stdout_summary).toHaveLength(4)
  expect(heard.some((line) => line.includes('/direct'))).toBe(false)
})

test('more connections than are carried at a time wait for their turn', async ({ skip }) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  const command = `curl -s -Z --parallel-max 150 'http://127.0.0.1:${port}/[1-300]' | grep -o reached`
  const wish = { command, stdout_lines: 1_000 }
  const result = await scratch.run(wish, { network: here() })
  expect(result.stdout_summary.split('\n')).toHaveLength(300)
})

test('an answer that makes no sense ends its connection and nothing else', async ({ skip }) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  const odd = createPlainServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 000 Odd\r\ncontent-length: 1\r\n\r\nx'))
  })
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
  const network = [...here(), { host: '127.0.0.1', ports: [portOf(odd)] }]
  const command = `curl -s http://127.0.0.1:${portOf(odd)}/; curl -s http://127.0.0.1:${port}/after`
  const result = await scratch.run({ command }, { network })
  odd.close()
  expect(result.stdout_summary).toContain('reached')
  // Neither a request nor a greeting of SOCKS opens anything.
  const open = 'exec 3<>/dev/tcp/127.0.0.1/$' + '{HTTP_PROXY##*:}'
  const noise = [open, "printf '\\5\\1\\0' >&3", 'timeout 5 cat <&3'].join('; ')
  const refused = await scratch.run({ command: 'bash', args: ['-c', noise] }, { network })
  expect(refused).toMatchObject({ stdout_summary: '', network_refused: 1 })
})

test('servers of the job itself are reached past the way out, where it says so', async ({
  skip,
}) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  // Nobody listens there in the box; what matters is whom curl asks.
  const command = `curl -s http://127.0.0.1:${port}/own; echo $?; env | grep -i _proxy= | sort -f`
  const environment = { NO_PROXY: '127.0.0.1', HTTP_PROXY: 'http://192.0.2.1' }
  const { stdout_summary } = await scratch.run({ command, environment }, { network: here() })
  expect(stdout_summary).toMatch(/^7$/m)
  expect(stdout_summary).toMatch(/^no_proxy=127\.0\.0\.1$/m)
  expect(stdout_summary.match(/_proxy=http:\/\/127\.0\.0\.1:\d+$/gim)).toHaveLength(6)
})

test('a name that leads to this machine is refused, though it is listed', async ({ skip }) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  const command = `curl -s -p http://localhost:${port}/; curl -s http://localhost:${port}/inside`
  const network = [{ host: 'localhost', ports: [port] }]
  const result = await scratch.run({ command }, { network })
  expect(result.network_refused).toBe(2)
  expect(result.stdout_summary).toContain('an entry must name that address')
  expect(heard.some((line) => line.includes('/inside'))).toBe(false)
})

test('the next runner opens the way out again and goes on counting', async ({ skip }) => {
  const first = await openBoxed('spaces')
  if (first === null) return skip('this machine has no such box')
  const ask = `curl -s http://127.0.0.1:${port}/again; curl -s http://127.0.0.1:${otherPort}/`
  const command = `${ask}; echo; touch asked; while ! test -e go; do sleep 0.05; done; ${ask}`
  const job = await first.start({ command, background: true }, { network: here() })
  await expect.poll(() => existsSync(join(first.workspace, 'asked'))).toBe(true)
  first.runner.close()
  const second = openRunner(first.settings)
  writeFileSync(join(first.workspace, 'go'), '')
  const found = second.find(job.note.id)
  if (found === null) throw new Error('the job was not found again')
  const timer = setInterval(() => void second.sweep(), 100)
  await waitForEnd(found, 20_000)
  clearInterval(timer)
  const result = second.result(found)
  expect(result.stdout_summary.match(/reached/g)).toHaveLength(2)
  expect(result.network_refused).toBe(2)
  second.close()
  const third = openRunner(first.settings)
  const kept = third.find(job.note.id)
  expect(kept === null ? null : third.result(kept).network_refused).toBe(2)
  third.close()
})

test('without a daemon a job hears that nobody connects for it', async ({ skip }) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  const command = `sleep 0.3; curl -s -w '%{http_code}' http://127.0.0.1:${port}/ > said`
  const job = await scratch.start({ command, background: true }, { network: here() })
  scratch.runner.close()
  const said = join(scratch.workspace, 'said')
  await expect
    .poll(() => existsSync(said) && readFileSync(said, 'utf8'))
    .toMatch(/no daemon.*\s503$/)
  await expect.poll(() => job.end?.code).toBe(0)
})

test.for(['restricted', 'contained'] as const)(
  'at %s a list of hosts is refused, since nothing would hold it',
  async (strongest) => {
    const scratch = openScratch({ strongest })
    opened.push(scratch)
    await expect(scratch.run({ command: 'true' }, { network: here() })).rejects.toMatchObject({
      error: { error_type: 'SpawnFailed' },
    })
    expect(scratch.runner.all()).toEqual([])
  },
)

test('a job that ends leaves neither a relay nor a socket behind', async ({ skip }) => {
  const scratch = await openBoxed('spaces')
  if (scratch === null) return skip('this machine has no such box')
  const sleep = `sleep ${2_000 + Math.floor(Math.random() * 7_000)}.${process.pid}`
  const job = await scratch.start({ command: sleep, background: true }, { network: here() })
  const supervisor = supervisorOf(sleep)
  const children = childrenOf(supervisor)
  expect(children.length).toBeGreaterThan(1)
  await killJob(job, { signal: 'SIGKILL' }, Date.now)
  const left = (): readonly number[] =>
    [supervisor, ...children].filter((pid) => existsSync(`/proc/${pid}`))
  await expect.poll(left).toEqual([])
  expect(readdirSync(job.folder)).not.toContain('network')
})
