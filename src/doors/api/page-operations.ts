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
  'hosts.list': {
    method: 'GET',
    path: '/v1/hosts',
    need: 'agent',
    repeats: 'same',
    summary: 'Hosts whose hooks Pawl has installed, and what was proved to be held',
  },
  'policies.list': {
    method: 'GET',
    path: '/v1/policies',
    need: 'agent',
    repeats: 'same',
    summary: 'Every policy that holds for somebody, with the rules that can never speak',
  },
  'stats.read': {
    method: 'GET',
    path: '/v1/stats',
    need: 'agent',
    repeats: 'same',
    summary: 'Calls, refusals and money of the latest runs, by day, tool, rule and definition',
  },
} as const

export type PageOperation = keyof typeof pageOperations
