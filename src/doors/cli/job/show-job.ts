/**
 * Jobs for people.
 */
import type { JobState } from '../../../runtime/jobs/jobs-port.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledSpan, type Tone } from '../play/styled-text.ts'
import { displayWidth, row } from '../play/view-lines.ts'
import { spanText, tableText } from '../remote/show-table.ts'

type Decided<T> = Exclude<T, { status: 'pending_approval' }>
type List = OperationAnswer<'jobs.list'>
type Status = OperationAnswer<'jobs.read'>

const tones: Readonly<Record<JobState, Tone>> = {
  running: 'accent',
  completed: 'good',
  killed: 'bad',
  timed_out: 'warn',
}

function pendingText(what: { readonly message: string; readonly approval_id: string }): string {
  return `${what.message} (approval ${what.approval_id})\n`
}

export function jobsText(list: List, io: Io): string {
  if ('status' in list) return pendingText(list)
  if (list.processes.length === 0) return 'no jobs\n'
  const rows = list.processes.map(
    (one): StyledLine => [
      styledSpan(one.process_id),
      styledSpan(
        one.state,
        one.exit_code === null || one.exit_code === 0 ? tones[one.state] : 'bad',
      ),
      styledSpan(one.exit_code === null ? '' : String(one.exit_code)),
      styledSpan(spanText(one.duration_ms), 'dim'),
      styledSpan(one.command.split('\n')[0] ?? ''),
    ],
  )
  const more = list.total > list.processes.length ? `${list.total} jobs in all\n` : ''
  return `${tableText(['job', 'state', 'exit', 'time', 'command'], rows, io)}${more}`
}

export function statusText(status: Status, io: Io): string {
  if ('status' in status) return pendingText(status)
  const width = displayWidth(io)
  const { isolation, resource_usage: usage } = status
  const exit = status.exit_code === null ? '' : `, exit code ${status.exit_code}`
  const signal = status.signal === null ? '' : `, ${status.signal}`
  const figures = [
    ['cpu', usage.cpu_ms, 'ms'],
    ['memory', usage.memory_peak_bytes, 'bytes at most'],
    ['read', usage.io_read_bytes, 'bytes'],
    ['written', usage.io_write_bytes, 'bytes'],
  ] as const
  const used = figures.flatMap(([name, value, unit]) =>
    value === null ? [] : [`${name} ${value} ${unit}`],
  )
  const lines: StyledLine[] = [
    [
      styledSpan(status.process_id, 'strong'),
      styledSpan(`  ${status.state}${exit}${signal}`, tones[status.state]),
    ],
    ...row('command', status.command, { width }),
    ...row('folder', status.working_directory, { width }),
    ...row('time', `${spanText(status.duration_ms)}, since ${status.started_at}`, { width }),
    ...row('output', `stdout ${status.stdout_size} bytes, stderr ${status.stderr_size} bytes`, {
      width,
    }),
    ...row('used', used.length === 0 ? 'not measured' : used.join(', '), { width }),
    ...row('isolation', `${isolation.level}; network: ${isolation.network}`, { width }),
    ...status.warnings.flatMap((one) => row('note', one, { width, tone: 'warn' })),
  ]
  return printLines(lines, io)
}

/** One line about what came of it. */
export function resultText(result: Decided<OperationAnswer<'jobs.run'>>, io: Io): string {
  const exit = result.exit_code === null ? '' : ` with ${result.exit_code}`
  const what = `${result.process_id} ${result.state}${exit}`
  const how = `, ${spanText(result.duration_ms)}, isolation: ${result.isolation.level}`
  const isGood = result.exit_code === 0 || result.state === 'running'
  const notes = result.warnings.map((one): StyledLine => [styledSpan(`· ${one}`, 'warn')])
  return printLines(
    [[styledSpan(what, isGood ? 'good' : 'bad'), styledSpan(how, 'dim')], ...notes],
    io,
  )
}
