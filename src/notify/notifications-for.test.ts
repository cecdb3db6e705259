/** Notifications for what happened to a run. */
import { expect, test } from 'vitest'
import type { Event } from '../core/engine/types.ts'
import type { RunHead } from '../runtime/ports.ts'
import { type News, notificationsFor } from './notifications-for.ts'
import type { NotificationKind } from './settings.ts'

const head = { id: 'r', definition: 'release', status: 'blocked', updatedAt: 5 } as RunHead
const all = new Set<NotificationKind>(['run', 'budget', 'job'])

function news(
  event: Event,
  runId = 'r',
  wanted: ReadonlySet<NotificationKind> = all,
): readonly News[] {
  return notificationsFor(wanted)({ head, recorded: [{ runId, event }] }).map(({ data }) =>
    JSON.parse(data),
  )
}

test('the end of a run is news, that of a child is not', () => {
  const end = { type: 'run.blocked', reason: 'bob refused' } as const
  const told = { kind: 'run', title: 'release is blocked: bob refused', at: 5 }
  expect(news(end)).toEqual([told])
  expect(news(end, 'r:child')).toEqual([])
  expect(news({ type: 'run.completed' })).toMatchObject([{ title: 'release is completed' }])
})

test('warnings about money are sent, and nothing is sent that nobody wants', () => {
  const code = 'BUDGET_NEARLY_EXHAUSTED' as 'HOOKS_CHANGED'
  const warning = { type: 'warning.raised', code, message: '80 % are spent' } as const
  expect(news(warning)).toMatchObject([{ kind: 'budget', title: '80 % are spent' }])
  expect(news(warning, 'r:child')).toHaveLength(1)
  expect(news({ ...warning, code: 'HOOKS_CHANGED' })).toEqual([])
  expect(news(warning, 'r', new Set<NotificationKind>(['run']))).toEqual([])
})

test('a job that Pawl saw end is news, what an agent says of one is not', () => {
  const vars = {
    job_id: 'j1',
    job_command: 'npm test',
    job_state: 'completed',
    job_exit_code: 1,
  }
  const seen = { type: 'vars.written', vars, local: {}, source: 'observed' } as const
  const title = 'job j1 (npm test) is completed, exit code 1'
  expect(news(seen)).toMatchObject([{ kind: 'job', title }])
  expect(news({ ...seen, source: 'claimed' })).toEqual([])
  expect(news({ ...seen, vars: { job_id: 1 } })).toEqual([])
})
