/** Operations about keys of the outbound proxy. */

export const mailOperations = {
  'mail.makeKey': {
    method: 'POST',
    path: '/v1/runs/:runId/mailKey',
    need: 'person',
    repeats: 'again',
    summary:
      'Create the key with which the agent of a run uses the outbound proxy; replaces the old key',
  },
  'mail.revokeKey': {
    method: 'DELETE',
    path: '/v1/runs/:runId/mailKey',
    need: 'person',
    repeats: 'again',
    summary: 'Revoke that key immediately',
  },
} as const
