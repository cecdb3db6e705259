/** Operations on sessions in boxes. */
import type { Operation } from './operations-table.ts'

export const boxesOperations = {
  'boxes.open': {
    method: 'POST',
    path: '/v1/boxes',
    need: 'person',
    repeats: 'again',
    summary: 'Make a box for a session of an agent host; the caller starts it',
  },
  'boxes.list': {
    method: 'GET',
    path: '/v1/boxes',
    need: 'person',
    repeats: 'same',
    summary: 'List the sessions that run in boxes',
  },
} as const satisfies Readonly<Record<string, Operation>>
