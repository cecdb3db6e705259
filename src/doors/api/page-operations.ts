/**
 * What the page asks beside what everybody asks: the part of the table of operations that is there
 * for it. Plain data.
 */

export const pageOperations = {
  me: {
    method: 'GET',
    path: '/v1/me',
    need: 'agent',
    repeats: 'same',
    summary: 'Who asks, and what they may do',
  },
  'signIns.invite': {
    method: 'POST',
    path: '/v1/signIns',
    need: 'person',
    repeats: 'again',
    summary: 'Make a code that signs one person in to the page, once, within minutes',
  },
  'machines.read': {
    method: 'GET',
    path: '/v1/machines/:hash',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a machine by its hash, as runs are pinned to it',
  },
} as const

export type PageOperation = keyof typeof pageOperations
