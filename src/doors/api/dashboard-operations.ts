/** Operations that only the dashboard needs. Plain data. */

export const dashboardOperations = {
  me: {
    method: 'GET',
    path: '/v1/me',
    need: 'agent',
    repeats: 'same',
    summary: 'Get the caller and what they may do',
  },
  'signIns.invite': {
    method: 'POST',
    path: '/v1/signIns',
    need: 'person',
    repeats: 'again',
    summary:
      'Create a one-time code that signs a person in to the page; expires after a few minutes',
  },
  'runs.changes': {
    method: 'GET',
    path: '/v1/runs/:runId/changes',
    need: 'person',
    repeats: 'same',
    summary: 'Compare the files of a run with those of its start',
  },
  'machines.read': {
    method: 'GET',
    path: '/v1/machines/:hash',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a machine by its hash; runs are pinned to it',
  },
  'hosts.list': {
    method: 'GET',
    path: '/v1/hosts',
    need: 'agent',
    repeats: 'same',
    summary: 'List hosts with Pawl hooks, and the results of `pawl doctor --prove`',
  },
  'policies.list': {
    method: 'GET',
    path: '/v1/policies',
    need: 'agent',
    repeats: 'same',
    summary: 'List every policy in force, with the rules that can never match',
  },
  'stats.read': {
    method: 'GET',
    path: '/v1/stats',
    need: 'agent',
    repeats: 'same',
    summary: 'Get calls, denials and cost of the latest runs by day, tool, rule and definition',
  },
} as const

export type DashboardOperation = keyof typeof dashboardOperations
