/**
 * The part of the table that serves agents beside their runs: tools of unattended routines, what
 * those keep, drafts of definitions, and decisions that an agent's client has asked its person for.
 */
import type { Operation } from './operations-table.ts'

export const agentOperations = {
  'process.call': {
    method: 'POST',
    path: '/v1/runs/:runId/process/calls',
    need: 'agent',
    repeats: 'once',
    summary: 'Use a memory or task tool for the process of a run, as far as it allows',
  },
  'process.step': {
    method: 'POST',
    path: '/v1/runs/:runId/process/steps',
    need: 'agent',
    repeats: 'once',
    summary: 'Answer a checklist from an unattended routine',
  },
  'memories.list': {
    method: 'GET',
    path: '/v1/memories',
    need: 'agent',
    repeats: 'same',
    summary: 'What agents have noted down in a workspace',
  },
  'memories.delete': {
    method: 'DELETE',
    path: '/v1/memories/:key',
    need: 'person',
    repeats: 'same',
    summary: 'Delete what an agent has noted down',
  },
  'tasks.list': {
    method: 'GET',
    path: '/v1/tasks',
    need: 'agent',
    repeats: 'same',
    summary: 'Tasks of a workspace, the oldest first',
  },
  'drafts.create': {
    method: 'POST',
    path: '/v1/drafts',
    need: 'agent',
    repeats: 'same',
    summary: 'Check a definition and keep it as a draft, of which nothing can be started',
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
    summary: 'Make a draft a definition, or the next version of the one of its name',
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
    summary: "Tell what a person answered their agent's client, where the configuration takes it",
  },
} as const satisfies Readonly<Record<string, Operation>>
