/** Operations by which agents get credentials. */
import type { Operation } from './operations-table.ts'

export const credentialOperations = {
  'credentials.issue': {
    method: 'POST',
    path: '/v1/credentials',
    need: 'agent',
    repeats: 'again',
    summary: 'Get a credential for a program of an agent, which works on one run at a time',
  },
  'credentials.forRun': {
    method: 'POST',
    path: '/v1/runs/:runId/credential',
    need: 'person',
    repeats: 'same',
    summary: 'Get the credential with which an agent can change this run and no other',
  },
} as const satisfies Readonly<Record<string, Operation>>
