/**
 * Everything that can be asked of a daemon, as one table: routes, socket ops, the description of
 * the API and the client are all derived from it. What goes in and comes out is in `contract.ts`.
 * Plain data: a client that reads it loads nothing else.
 */

import { agentOperations } from './agent-operations.ts'
import { gatewayOperations } from './gateway-operations.ts'
import { jobsOperations } from './jobs-operations.ts'
import { mailOperations } from './mail-operations.ts'
import { pageOperations } from './page-operations.ts'

/** The least that a caller has to be. */
export type Need = 'none' | 'agent' | 'person'

export type Operation = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Under the root of the API; a part after `:` is the field of the input of that name. */
  readonly path: string
  readonly need: Need
  /**
   * What a second try does. `same`: nothing changes at all. `once`: the command id makes it count
   * once. `again`: it would be done twice.
   */
  readonly repeats: 'same' | 'once' | 'again'
  readonly summary: string
}

export const operations = {
  ...agentOperations,
  ...gatewayOperations,
  ...mailOperations,
  'runs.start': {
    method: 'POST',
    path: '/v1/runs',
    need: 'agent',
    repeats: 'once',
    summary: 'Start a run of a definition',
  },
  'runs.list': {
    method: 'GET',
    path: '/v1/runs',
    need: 'agent',
    repeats: 'same',
    summary: 'List runs, the latest change first',
  },
  'runs.read': {
    method: 'GET',
    path: '/v1/runs/:runId',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a run: where it stands and what the agent is told',
  },
  'runs.signal': {
    method: 'POST',
    path: '/v1/runs/:runId/signals',
    need: 'agent',
    repeats: 'once',
    summary: 'Send a signal: an event, an answer, or the fields of a form',
  },
  'runs.check': {
    method: 'POST',
    path: '/v1/runs/:runId/calls',
    need: 'agent',
    repeats: 'once',
    summary: 'Judge a tool call before it happens, and keep the verdict',
  },
  'runs.report': {
    method: 'POST',
    path: '/v1/runs/:runId/reports',
    need: 'agent',
    repeats: 'once',
    summary: 'Report how a call that was let through has ended',
  },
  'runs.spend': {
    method: 'POST',
    path: '/v1/runs/:runId/spending',
    need: 'agent',
    repeats: 'once',
    summary: 'Record what a model has cost, by its tokens or in dollars',
  },
  'costs.read': {
    method: 'GET',
    path: '/v1/costs',
    need: 'agent',
    repeats: 'same',
    summary: 'What runs have cost, by run, stage, tool and day',
  },
  'runs.pause': {
    method: 'POST',
    path: '/v1/runs/:runId/pause',
    need: 'agent',
    repeats: 'once',
    summary: 'Pause a run; with `release` (a person only) the rules of its stages rest as well',
  },
  'runs.resume': {
    method: 'POST',
    path: '/v1/runs/:runId/resume',
    need: 'agent',
    repeats: 'once',
    summary: 'Resume a paused run; what a person paused, a person resumes',
  },
  'runs.cancel': {
    method: 'POST',
    path: '/v1/runs/:runId/cancel',
    need: 'agent',
    repeats: 'once',
    summary: 'Cancel a run for good',
  },
  'runs.force': {
    method: 'POST',
    path: '/v1/runs/:runId/force',
    need: 'person',
    repeats: 'once',
    summary: 'Put a run into a stage, where its definition has debug on',
  },
  'runs.finishBranch': {
    method: 'POST',
    path: '/v1/runs/:runId/branches/:branch/finish',
    need: 'agent',
    repeats: 'once',
    summary: 'Say that a branch, standing on its terminal stage, is done',
  },
  'runs.claim': {
    method: 'POST',
    path: '/v1/runs/:runId/claim',
    need: 'agent',
    repeats: 'same',
    summary: 'Have a session work on an open run that no other session has',
  },
  'runs.locate': {
    method: 'GET',
    path: '/v1/locate',
    need: 'agent',
    repeats: 'same',
    summary: 'Which run judges a caller in a folder',
  },
  'runs.release': {
    method: 'POST',
    path: '/v1/runs/:runId/release',
    need: 'person',
    repeats: 'same',
    summary: 'Take a run from the session that works on it; the next one to come has it',
  },
  'sessions.read': {
    method: 'GET',
    path: '/v1/sessions/:session',
    need: 'agent',
    repeats: 'same',
    summary: "The run that a session of an agent's host works on, or has worked on last",
  },
  'runs.events': {
    method: 'GET',
    path: '/v1/runs/:runId/events',
    need: 'agent',
    repeats: 'same',
    summary: 'Read the log of a run',
  },
  'runs.wait': {
    method: 'GET',
    path: '/v1/runs/:runId/wait',
    need: 'agent',
    repeats: 'same',
    summary: 'Wait until the log of a run is longer than `after`',
  },
  'runs.verify': {
    method: 'GET',
    path: '/v1/runs/:runId/verify',
    need: 'agent',
    repeats: 'same',
    summary: 'Check the hashes of a log, from its first record or against an anchor',
  },
  'runs.export': {
    method: 'GET',
    path: '/v1/runs/:runId/export',
    need: 'person',
    repeats: 'same',
    summary: 'A whole run with its machines, as another store can take it in',
  },
  'runs.import': {
    method: 'POST',
    path: '/v1/runs/import',
    need: 'person',
    repeats: 'again',
    summary: 'Take in a run that was exported; its log is verified first',
  },
  'approvals.list': {
    method: 'GET',
    path: '/v1/approvals',
    need: 'agent',
    repeats: 'same',
    summary: 'List questions to people, the oldest first',
  },
  'approvals.read': {
    method: 'GET',
    path: '/v1/approvals/:id',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a question with the move or call that waits',
  },
  'approvals.decide': {
    method: 'POST',
    path: '/v1/approvals/:id',
    need: 'person',
    repeats: 'once',
    summary: 'Grant or refuse; the first decision counts',
  },
  'definitions.create': {
    method: 'POST',
    path: '/v1/definitions',
    need: 'person',
    repeats: 'again',
    summary: 'Check a definition and keep it',
  },
  'definitions.list': {
    method: 'GET',
    path: '/v1/definitions',
    need: 'agent',
    repeats: 'same',
    summary: 'List definitions by name',
  },
  'definitions.read': {
    method: 'GET',
    path: '/v1/definitions/:id',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a definition, by id or name, as its author wrote it',
  },
  'definitions.update': {
    method: 'PUT',
    path: '/v1/definitions/:id',
    need: 'person',
    repeats: 'again',
    summary: 'Add a version; its name stays',
  },
  'definitions.delete': {
    method: 'DELETE',
    path: '/v1/definitions/:id',
    need: 'person',
    repeats: 'again',
    summary: 'Delete a definition; its runs go on',
  },
  'definitions.versions': {
    method: 'GET',
    path: '/v1/definitions/:id/versions',
    need: 'agent',
    repeats: 'same',
    summary: 'List every version of a definition',
  },
  ...jobsOperations,
  check: {
    method: 'POST',
    path: '/v1/check',
    need: 'agent',
    repeats: 'same',
    summary: 'Every remark about a definition; keeps nothing',
  },
  judge: {
    method: 'POST',
    path: '/v1/judge',
    need: 'agent',
    repeats: 'same',
    summary: 'What would be said to a call, and why; keeps nothing',
  },
  'notify.test': {
    method: 'POST',
    path: '/v1/notify/test',
    need: 'person',
    repeats: 'again',
    summary: 'Send a test message over every channel that reaches people',
  },
  status: {
    method: 'GET',
    path: '/v1/status',
    need: 'agent',
    repeats: 'same',
    summary: 'What this daemon is and how it is doing',
  },
  stop: {
    method: 'POST',
    path: '/v1/stop',
    need: 'person',
    repeats: 'again',
    summary: 'Stop this daemon when all that was begun is done',
  },
  health: {
    method: 'GET',
    path: '/v1/health',
    need: 'none',
    repeats: 'same',
    summary: 'Whether decisions can be made and kept',
  },
  ...pageOperations,
} as const satisfies Readonly<Record<string, Operation>>

/** What goes on until the caller leaves: many answers to one question. */
export const streams = {
  'runs.stream': {
    path: '/v1/runs/:runId/stream',
    summary: 'The log of a run as it grows; resumes after `Last-Event-ID`',
  },
  'changes.stream': {
    path: '/v1/stream',
    summary: 'Runs as they change; resumes after `Last-Event-ID`, and a change may come twice',
  },
} as const

export type StreamName = keyof typeof streams
export type OperationName = keyof typeof operations

export const operationNames = Object.keys(operations) as readonly OperationName[]

/** Whether there is an operation of that name. */
export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name)
}

/** Whether there is a stream of that name. */
export function isStream(name: string): name is StreamName {
  return Object.hasOwn(streams, name)
}

/** The fields of the input that stand in the path, in order. */
export function pathFields(path: string): readonly string[] {
  return path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1))
}

/** Bytes of one request. */
export const requestBytesMax = 1024 * 1024
/** Bytes of a run that is imported: only a person's token gets so far. */
export const importBytesMax = 32 * 1024 * 1024

/** A reason or a note is cut with a mark, however long it is; so it has to be let in. */
const wordsBytesMax = 16 * 1024 * 1024

/** Bytes that a request for this operation may have. */
export function bytesMaxOf(name: OperationName): number {
  if (name === 'runs.import') return importBytesMax
  return name === 'runs.cancel' || name === 'approvals.decide' ? wordsBytesMax : requestBytesMax
}
