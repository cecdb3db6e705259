/**
 * The part of the table of operations that is about the keys of the outbound proxy.
 */

export const mailOperations = {
  'mail.makeKey': {
    method: 'POST',
    path: '/v1/runs/:runId/mailKey',
    need: 'person',
    repeats: 'again',
    summary: 'Make the key under which the agent of a run sends out; it replaces the one before',
  },
  'mail.revokeKey': {
    method: 'DELETE',
    path: '/v1/runs/:runId/mailKey',
    need: 'person',
    repeats: 'again',
    summary: 'Take that key away; it counts no longer, at once',
  },
} as const
