import { expect, test } from 'vitest'
import { followJob, printLogs } from './follow-job.ts'
import type { JobCommand } from './job-command-line.ts'

const said = Buffer.from([0xff, 0x00, 0xc3, 0x28, 0x0a])

/** A command line whose daemon has one ended job, and what has been printed. */
function openRequest(isTerminal: boolean) {
  const printed: Buffer[] = []
  const io = {
    isTerminal,
    out: (text: string) => void printed.push(Buffer.from(text)),
    err: () => undefined,
    bytes: (_stream: string, bytes: Uint8Array) => void printed.push(Buffer.from(bytes)),
  }
  const call = async (_name: string, wish: { stream?: string; encoding?: 'utf8' | 'base64' }) => ({
    ...{ stdout: wish.stream === 'stderr' ? '' : said.toString(wish.encoding), stderr: '' },
    ...{ state: 'completed', truncated: false, next_offset: said.length },
  })
  const values = { run: null, stream: null, offset: null, limit: null }
  // WHY the cast: only what these two verbs touch is there.
  const request = { io, values, look: 'text', remote: { call } } as unknown as JobCommand
  return { request, printed: () => Buffer.concat(printed) }
}

test('what a job says goes into a pipe byte by byte', async () => {
  const [followed, paged] = [openRequest(false), openRequest(false)]
  await followJob(followed.request, { id: 'job_1', offset: 0, stream: 'both' })
  await printLogs(paged.request, 'job_1')
  expect(followed.printed()).toEqual(said)
  expect(paged.printed()).toEqual(said)
})

test('a terminal gets nothing that steers it', async () => {
  const { request, printed } = openRequest(true)
  await printLogs(request, 'job_1')
  expect(printed().includes(0)).toBe(false)
})
