/**
 * The output of a job, page by page or as it is written.
 */
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { printResult } from '../remote/remote-verb.ts'
import { type JobCommand, numberOf, runOf } from './job-command-line.ts'

/** How long the daemon waits for more before it answers. */
const waitMs = 300
const pageBytes = 256 * 1024

type Followed = { readonly id: string; readonly offset: number; readonly stream: string }
type Logs = Exclude<OperationAnswer<'jobs.logs'>, { status: 'pending_approval' }>

/** Prints until the job has ended and all of it is printed. */
export async function followJob(request: JobCommand, followed: Followed): Promise<void> {
  const { id, offset, stream } = followed
  const places = { stdout: offset, stderr: offset }
  const names = (['stdout', 'stderr'] as const).filter((one) => stream === 'both' || stream === one)
  for (;;) {
    let isOver = true
    for (const name of names) {
      // Only the first one waits: the other may have said something meanwhile.
      const wait_ms = name === names[0] ? waitMs : 0
      const wish = { process_id: id, stream: name, offset: places[name], limit: pageBytes, wait_ms }
      const how = { encoding: encodingFor(request.io), ...runOf(request) }
      const page = await request.remote.call('jobs.logs', { ...wish, ...how })
      if (isPending(page)) return
      places[name] = page.next_offset ?? places[name]
      print(request.io, name, page[name])
      isOver &&= page.state !== 'running' && !page.truncated
    }
    if (isOver) return
  }
}

function isPending(
  page: OperationAnswer<'jobs.logs'>,
): page is Exclude<OperationAnswer<'jobs.logs'>, Logs> {
  return 'status' in page
}

/** One page, or all of it. */
export async function printLogs(request: JobCommand, id: string): Promise<number> {
  const { values, remote, io } = request
  const [offset, limit] = [numberOf(request, 'offset'), numberOf(request, 'limit')]
  const page = await remote.call('jobs.logs', {
    process_id: id,
    ...runOf(request),
    ...(request.look === 'json' ? {} : { encoding: encodingFor(io) }),
    ...(values.stream === null ? {} : { stream: values.stream }),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
  })
  if (request.look === 'json' || isPending(page)) {
    printResult(request, page, () => 'a person has to approve this first\n')
    return isPending(page) ? 1 : 0
  }
  print(io, 'stdout', page.stdout)
  print(io, 'stderr', page.stderr)
  if (page.truncated) io.err(`more: --offset ${page.next_offset ?? page.stdout_next_offset}\n`)
  return 0
}

/** A file or a pipe gets the exact bytes; a terminal gets readable text. */
function encodingFor({ isTerminal, bytes }: Io): 'utf8' | 'base64' {
  return isTerminal || bytes === undefined ? 'utf8' : 'base64'
}

function print(io: Io, stream: 'stdout' | 'stderr', text: string): void {
  if (text === '') return
  if (encodingFor(io) === 'base64') return io.bytes?.(stream, Buffer.from(text, 'base64'))
  const shown = io.isTerminal ? harmless(text) : text
  if (stream === 'stdout') io.out(shown)
  else io.err(shown)
}

const colour = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`)

/** Colours and lines stay; everything else that steers a terminal is made visible. */
function harmless(text: string): string {
  return text
    .split(colour)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/[^\P{Cc}\n\t\r]|\p{Cf}/gu, '\ufffd'),
    )
    .join('')
}
