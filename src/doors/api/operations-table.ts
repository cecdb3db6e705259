/**
 * Every operation of the daemon in one table. HTTP routes, socket operations, the OpenAPI document
 * and the client are derived from it. Inputs and answers are in `contract.ts`. Plain data, so that
 * a client that imports it loads nothing else.
 */

import { agentOperations } from './agent-operations.ts'
import { boxesOperations } from './boxes-operations.ts'
import { credentialOperations } from './credential-operations.ts'
import { dashboardOperations } from './dashboard-operations.ts'
import { gatewayOperations } from './gateway-operations.ts'
import { jobsOperations } from './jobs-operations.ts'
import { mailOperations } from './mail-operations.ts'
import { passkeyOperations } from './passkey-operations.ts'

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
  ...passkeyOperations,
  ...credentialOperations,
  ...boxesOperations,
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
    summary: 'List runs, last changed first',
  },
  'runs.read': {
    method: 'GET',
    path: '/v1/runs/:runId',
    need: 'agent',
    repeats: 'same',
    summary: 'Read a run: its stage and status, and the instructions for the agent',
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
    summary: 'Judge a tool call before it is made, and record the verdict',
  },
  'runs.report': {
    method: 'POST',
    path: '/v1/runs/:runId/reports',
    need: 'agent',
    repeats: 'once',
    summary: 'Report the result of an allowed call',
  },
  'runs.spend': {
    method: 'POST',
    path: '/v1/runs/:runId/spending',
    need: 'agent',
    repeats: 'once',
    summary: 'Record the cost of a model, in tokens or dollars',
  },
  'costs.read': {
    method: 'GET',
    path: '/v1/costs',
    need: 'agent',
    repeats: 'same',
    summary: 'Get the cost of runs by run, stage, tool and day',
  },
  'runs.pause': {
    method: 'POST',
    path: '/v1/runs/:runId/pause',
    need: 'agent',
    repeats: 'once',
    summary: 'Pause a run; with `release` (people only) the rules of its stages are suspended too',
  },
  'runs.resume': {
    method: 'POST',
    path: '/v1/runs/:runId/resume',
    need: 'agent',
    repeats: 'once',
    summary: 'Resume a paused run; if a person paused it, only a person can resume it',
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
    summary: 'Move a run to any stage, if its definition has debug on',
  },
  'runs.finishBranch': {
    method: 'POST',
    path: '/v1/runs/:runId/branches/:branch/finish',
    need: 'agent',
    repeats: 'once',
    summary: 'Mark a branch that is in its final stage as done',
  },
  'runs.claim': {
    method: 'POST',
    path: '/v1/runs/:runId/claim',
    need: 'agent',
    repeats: 'same',
    summary: 'Assign an open run that no other session works on to a session',
  },
  'runs.locate': {
    method: 'GET',
    path: '/v1/locate',
    need: 'agent',
    repeats: 'same',
    summary: 'Find the run that judges calls in a folder',
  },
  'runs.release': {
    method: 'POST',
    path: '/v1/runs/:runId/release',
    need: 'person',
    repeats: 'same',
    summary: 'Release a run from its session; the next session can take it',
  },
  'sessions.read': {
    method: 'GET',
    path: '/v1/sessions/:session',
    need: 'agent',
    repeats: 'same',
    summary: "Get the run that a session of an agent's host works on, or last worked on",
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
    summary: 'Wait until the log of a run has more than `after` records',
  },
  'runs.verify': {
    method: 'GET',
    path: '/v1/runs/:runId/verify',
    need: 'agent',
    repeats: 'same',
    summary: 'Verify the hash chain of a log, from its first record or against an anchor',
  },
  'runs.export': {
    method: 'GET',
    path: '/v1/runs/:runId/export',
    need: 'person',
    repeats: 'same',
    summary: 'Export a whole run with its machines, to import into another store',
  },
  'runs.import': {
    method: 'POST',
    path: '/v1/runs/import',
    need: 'person',
    repeats: 'again',
    summary: 'Import an exported run; its log is verified first',
  },
  'approvals.list': {
    method: 'GET',
    path: '/v1/approvals',
    need: 'agent',
    repeats: 'same',
    summary: 'List approvals, oldest first',
  },
  'approvals.read': {
    method: 'GET',
    path: '/v1/approvals/:id',
    need: 'agent',
    repeats: 'same',
    summary: 'Read an approval with the pending move or call',
  },
  'approvals.decide': {
    method: 'POST',
    path: '/v1/approvals/:id',
    need: 'person',
    repeats: 'once',
    summary: 'Grant or refuse an approval; the first decision counts',
  },
  'definitions.create': {
    method: 'POST',
    path: '/v1/definitions',
    need: 'person',
    repeats: 'again',
    summary: 'Check a definition and store it',
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
    summary: 'Read a definition by id or name, as written by its author',
  },
  'definitions.update': {
    method: 'PUT',
    path: '/v1/definitions/:id',
    need: 'person',
    repeats: 'again',
    summary: 'Add a version of a definition; its name stays the same',
  },
  'definitions.delete': {
    method: 'DELETE',
    path: '/v1/definitions/:id',
    need: 'person',
    repeats: 'again',
    summary: 'Delete a definition; its runs continue',
  },
  'definitions.accept': {
    method: 'POST',
    path: '/v1/definitions/:id/accept',
    need: 'person',
    repeats: 'again',
    summary: 'Accept a file of a workspace that has the name of a stored definition, by its hash',
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
    summary: 'Check a definition and list all findings; stores nothing',
  },
  judge: {
    method: 'POST',
    path: '/v1/judge',
    need: 'agent',
    repeats: 'same',
    summary: 'Judge a hypothetical tool call and explain the verdict; stores nothing',
  },
  'notify.test': {
    method: 'POST',
    path: '/v1/notify/test',
    need: 'person',
    repeats: 'again',
    summary: 'Send a test message to every notification channel',
  },
  status: {
    method: 'GET',
    path: '/v1/status',
    need: 'agent',
    repeats: 'same',
    summary: 'Get the version and status of the daemon',
  },
  stop: {
    method: 'POST',
    path: '/v1/stop',
    need: 'person',
    repeats: 'again',
    summary: 'Stop the daemon after pending requests are done',
  },
  health: {
    method: 'GET',
    path: '/v1/health',
    need: 'none',
    repeats: 'same',
    summary: 'Check whether decisions can be made and stored',
  },
  ...dashboardOperations,
} as const satisfies Readonly<Record<string, Operation>>

/** What goes on until the caller leaves: many answers to one question. */
export const streams = {
  'runs.stream': {
    path: '/v1/runs/:runId/stream',
    summary: 'Stream the log of a run; resumes after `Last-Event-ID`',
  },
  'changes.stream': {
    path: '/v1/stream',
    summary: 'Stream changed runs; resumes after `Last-Event-ID`; a change may be sent twice',
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
