/** `process.logs`: streams, offsets, limits and sizes, exact to the byte, over every door. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { type CapabilityClient, capabilityClients, monitorUntilEnd } from './capabilities.ts'
import { claimsOf } from './claim.ts'
import { type LooseJson, useDoors } from './doors.ts'

const claim = claimsOf('process capabilities')
const doors = useDoors()
const clients = capabilityClients(doors)
const [stdio, , rest] = clients as [CapabilityClient, CapabilityClient, CapabilityClient]

const kept = new Map<string, Promise<string>>()

/** A job that has ended; the same command is run once for all claims. */
function jobOf(command: string): Promise<string> {
  const known = kept.get(command) ?? rest.call('run', { command }).then((one) => one.process_id)
  kept.set(command, known)
  return known
}

const both = 'printf "out put"; printf "er✓r" >&2'
const section = 'process.logs: Inputs'

/** A claim about one page of the job above, over all doors. */
function pages(quote: string, wish: JsonObject, page: object): void {
  claim(
    { section, quote, check: `\`${JSON.stringify(wish)}\` gives \`${JSON.stringify(page)}\`` },
    async () => {
      const process_id = await jobOf(both)
      for (const client of clients) {
        expect(await client.call('logs', { process_id, ...wish })).toMatchObject(page)
      }
    },
  )
}

pages('stream | String | No | both', {}, { stdout: 'out put', stderr: 'er✓r' })
pages(
  'stream: Which output stream: ‘stdout’, ‘stderr’, or ‘both’.',
  { stream: 'stdout' },
  { stdout: 'out put', stderr: '' },
)
pages(
  'stream: Which output stream: ‘stdout’, ‘stderr’, or ‘both’.',
  { stream: 'stderr' },
  { stdout: '', stderr: 'er✓r' },
)
pages(
  'stream: Which output stream: ‘stdout’, ‘stderr’, or ‘both’.',
  { stream: 'both' },
  { stdout: 'out put', stderr: 'er✓r' },
)
pages(
  'offset: Byte offset to start reading from.',
  { stream: 'stdout', offset: 4 },
  {
    ...{ stdout: 'put', truncated: false },
  },
)
pages('offset: Byte offset to start reading from.', { offset: 0 }, { stdout: 'out put' })
pages('offset: Byte offset to start reading from.', { offset: 7 }, { stdout: '' })
pages(
  'offset: Byte offset to start reading from.',
  { offset: 10_000 },
  {
    ...{ stdout: '', stderr: '', truncated: false },
  },
)
pages(
  'limit: Maximum bytes to return.',
  { stream: 'stdout', limit: 3 },
  {
    ...{ stdout: 'out', truncated: true, next_offset: 3 },
  },
)
pages(
  'limit: Maximum bytes to return.',
  { stream: 'stdout', limit: 7 },
  {
    ...{ stdout: 'out put', truncated: false },
  },
)
pages(
  'limit: Maximum bytes to return.',
  { stream: 'stdout', offset: 1, limit: 2 },
  {
    ...{ stdout: 'ut', truncated: true, next_offset: 3 },
  },
)
pages(
  'offset: Use for paginated reads of large output.',
  { stream: 'stderr', limit: 3 },
  {
    ...{ stderr: 'er', truncated: true, next_offset: 2 },
  },
)
pages(
  'truncated: True if output was truncated due to limit parameter.',
  { limit: 100 },
  {
    truncated: false,
  },
)

claim(
  {
    section,
    quote: 'limit: Default returns all available output.',
    check: '300 kB are returned in one response over MCP and REST, byte for byte',
  },
  async () => {
    const process_id = await jobOf('seq 1 52000')
    const whole = Array.from({ length: 52_000 }, (_, i) => `${i + 1}\n`).join('')
    expect(whole.length).toBeGreaterThan(300_000)
    for (const client of clients) {
      const page = await client.call('logs', { process_id })
      expect(page.stdout === whole, client.door).toBe(true)
      expect(page).toMatchObject({ truncated: false, stdout_size: whole.length })
    }
  },
)
claim(
  {
    section,
    quote: 'limit: Default returns all available output.',
    check: 'over MCP, more than 4 MiB is `truncated`, and `next_offset` leads to the rest',
    differs: 'logs-in-pages',
  },
  async () => {
    const bytes = 4_500_000
    const process_id = await jobOf(`yes 0123456789 | head -c ${bytes}`)
    const first = await stdio.call('logs', { process_id })
    expect(first).toMatchObject({ truncated: true, next_offset: 4 * 1024 * 1024 })
    const then = await stdio.call('logs', { process_id, offset: first.next_offset })
    expect(then).toMatchObject({ truncated: false, stdout_size: bytes })
    expect(first.stdout.length + then.stdout.length).toBe(bytes)
    const whole = await rest.call('logs', { process_id })
    expect(whole.stdout === first.stdout + then.stdout).toBe(true)
    expect(whole.truncated).toBe(false)
  },
)
claim(
  {
    section,
    quote: 'offset … Use for paginated reads of large output.',
    check: 'pages of 7 bytes give every byte once, even if a character has 3 bytes',
  },
  async () => {
    const text = 'a✓b✓✓c'.repeat(9)
    const process_id = await jobOf(`printf '%s' '${text}'`)
    for (const client of clients) {
      let read = ''
      let offset = 0
      for (let page: LooseJson = { truncated: true }; page.truncated; offset = page.next_offset) {
        page = await client.call('logs', { process_id, stream: 'stdout', offset, limit: 7 })
        read += page.stdout
      }
      expect(read).toBe(text)
    }
  },
)
claim(
  {
    section,
    quote: 'stream | both … offset … limit',
    check: 'a single `next_offset` reads both streams of an ended process, every byte once',
  },
  async () => {
    const process_id = await jobOf('seq 100 160; seq 200 230 >&2')
    let [out, err] = ['', '']
    let offset = 0
    for (let page: LooseJson = { truncated: true }; page.truncated; offset = page.next_offset) {
      page = await rest.call('logs', { process_id, offset, limit: 50 })
      out += page.stdout
      err += page.stderr
    }
    const numbers = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('')
    expect([out, err]).toEqual([numbers(100, 160), numbers(200, 230)])
  },
)

const outputs = 'process.logs: Outputs'
for (const [field, quote] of [
  ['stdout', 'stdout: Empty string if no output.'],
  ['stderr', 'stderr: Empty string if no output.'],
] as const) {
  claim({ section: outputs, quote, check: 'the output of `true` is ""' }, async () => {
    const process_id = await jobOf('true')
    for (const client of clients) {
      expect((await client.call('logs', { process_id }))[field]).toBe('')
    }
  })
}
for (const [field, bytes] of [
  ['stdout_size', 7],
  ['stderr_size', 6],
] as const) {
  claim(
    {
      section: outputs,
      quote: `${field}: Total size of ${field.slice(0, 6)} in bytes.`,
      check: 'the size is in bytes, even if the other stream or only a part is requested',
    },
    async () => {
      const process_id = await jobOf(both)
      for (const client of clients) {
        for (const wish of [{}, { stream: 'stdout' }, { stream: 'stderr', limit: 1 }]) {
          expect((await client.call('logs', { process_id, ...wish }))[field]).toBe(bytes)
        }
      }
    },
  )
}
claim(
  {
    section: outputs,
    quote: 'process_id: The process identifier. · state: Current process state',
    check: 'the id is the requested one; the state is first running, then completed',
  },
  async () => {
    for (const [index, client] of clients.entries()) {
      const command = `until [ -e end-${index} ]; do sleep 0.05; done`
      const { process_id } = await client.call('run', { command, background: true })
      const first = await client.call('logs', { process_id })
      expect(first).toMatchObject({ process_id, state: 'running' })
      await client.call('run', { command: 'touch', args: [`end-${index}`] })
      await monitorUntilEnd(client, process_id)
      expect(await client.call('logs', { process_id })).toMatchObject({ state: 'completed' })
    }
  },
)
claim(
  {
    section: 'process.logs: Common patterns',
    quote: 'process.monitor(…) to confirm state is ‘completed’ process.logs(…, stream=‘both’)',
    check: 'all output can be read after the end',
  },
  async () => {
    const wish = { command: 'echo out; echo err >&2', background: true }
    const { process_id } = await stdio.call('run', wish)
    await monitorUntilEnd(stdio, process_id)
    const logs = await stdio.call('logs', { process_id, stream: 'both' })
    expect(logs).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
  },
)
claim(
  {
    section: 'process.logs: Common patterns',
    quote: 'offset=0, limit=4096 for first chunk. Use stdout_size as next offset',
    check: 'this follows a running process while one chunk holds all new output',
  },
  async () => {
    const command = 'for i in 1 2 3 4; do echo line $i; sleep 0.2; done'
    const { process_id } = await stdio.call('run', { command, background: true })
    let [read, offset, state] = ['', 0, 'running']
    while (state === 'running' || offset < 28) {
      const wish = { process_id, stream: 'stdout', offset, limit: 4096 }
      const chunk = await stdio.call('logs', wish)
      read += chunk.stdout
      offset = chunk.stdout_size
      state = chunk.state
    }
    expect(read).toBe('line 1\nline 2\nline 3\nline 4\n')
  },
)
claim(
  {
    section: 'process.logs: Common patterns',
    quote: 'Use stdout_size as next offset for subsequent calls',
    check: 'with more output than a chunk, this would skip bytes; `next_offset` does not',
    differs: 'next-offset-of-logs',
  },
  async () => {
    const process_id = await jobOf('seq 1 52000')
    for (const client of clients) {
      const wish = { process_id, stream: 'stdout', offset: 0, limit: 4096 }
      const chunk = await client.call('logs', wish)
      expect(chunk).toMatchObject({ truncated: true, next_offset: 4096 })
      expect(chunk.stdout_size).toBeGreaterThan(chunk.next_offset)
    }
  },
)
