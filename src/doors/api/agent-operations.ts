/**
 * Operations for agents that are not about a run: tools of unattended routines, their notes and
 * tasks, drafts of definitions, and decisions that a person made in the agent's client.
 */
import type { Operation } from './operations-table.ts'

export const agentOperations = {
  'process.call': {
    method: 'POST',
    path: '/v1/runs/:runId/process/calls',
    need: 'agent',
    repeats: 'once',
    summary: 'Use a memory or task tool in a run, if its process allows it',
  },
  'process.step': {
    method: 'POST',
    path: '/v1/runs/:runId/process/steps',
    need: 'agent',
    repeats: 'once',
    summary: 'Answer the current question of a checklist in an unattended routine',
  },
  'memories.list': {
    method: 'GET',
    path: '/v1/memories',
    need: 'agent',
    repeats: 'same',
    summary: 'List the notes that agents saved in a workspace',
  },
  'memories.delete': {
    method: 'DELETE',
    path: '/v1/memories/:key',
    need: 'person',
    repeats: 'same',
    summary: 'Delete a note of an agent',
  },
  'tasks.list': {
    method: 'GET',
    path: '/v1/tasks',
    need: 'agent',
    repeats: 'same',
    summary: 'List the tasks of a workspace, oldest first',
  },
  'drafts.create': {
    method: 'POST',
    path: '/v1/drafts',
    need: 'agent',
    repeats: 'same',
    summary: 'Check a definition and store it as a draft; drafts cannot be started',
  },
  'drafts.list': {
    method: 'GET',
    path: '/v1/drafts',
    need: 'agent',
    repeats: 'same',
    summary: 'List drafts by name',
  },
  'drafts.activate': {
    method: 'POST',
    path: '/v1/drafts/:id/activate',
    need: 'person',
    repeats: 'again',
    summary: 'Turn a draft into a definition, or into the next version of the one with its name',
  },
  'drafts.delete': {
    method: 'DELETE',
    path: '/v1/drafts/:id',
    need: 'person',
    repeats: 'again',
    summary: 'Delete a draft',
  },
  'approvals.elicited': {
    method: 'POST',
    path: '/v1/approvals/:id/elicited',
    need: 'agent',
    repeats: 'once',
    summary:
      "Send a decision that a person made in their agent's client, if the configuration allows it",
  },
} as const satisfies Readonly<Record<string, Operation>>
