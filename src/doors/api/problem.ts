/**
 * Problems returned instead of an answer: a code, what happened, and what to do next. The fields
 * follow RFC 9457. Knows codes and HTTP statuses, not frames or headers.
 */
import type { FieldIssue, Reply } from '../../core/engine/types.ts'
import type { FaultCode, RefusalCode } from '../../core/errors.ts'
import type { Finding } from '../../core/finding.ts'
import { type JobError, JobFault, type JobFaultType } from '../../runtime/jobs/job-fault.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

export type ProblemCode = FaultCode | RefusalCode

export type ProblemDocument = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ProblemCode
  /** What happened, one line. */
  readonly detail: string
  /** What to do next, one line; empty when the detail says it. */
  readonly hint: string
  /** Of a refused signal: fields that are missing or wrong. */
  readonly missing?: readonly string[]
  readonly issues?: readonly FieldIssue[]
  /** Of a definition that has errors. */
  readonly findings?: readonly Finding[]
  /** Of a job: its type, and what can be done next. */
  readonly error?: JobError
}

/** A problem on its way to whoever called: thrown by the client. */
export class PawlProblem extends Error {
  readonly problem: ProblemDocument
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  readonly hint: string

  constructor(problem: ProblemDocument, cause?: unknown) {
    super(problem.detail, cause === undefined ? undefined : { cause })
    this.name = 'PawlProblem'
    this.problem = problem
    this.code = problem.code
    this.status = problem.status
    this.detail = problem.detail
    this.hint = problem.hint
  }
}

const faultStatuses: Readonly<Record<FaultCode, number>> = {
  USAGE: 400,
  FILE_UNREADABLE: 500,
  FILE_UNWRITABLE: 500,
  DEFINITION_INVALID: 422,
  CASE_INVALID: 422,
  CONVERSION_LOSSY: 422,
  NODE_TOO_OLD: 500,
  STORE_CONFLICT: 409,
  FILES_IN_USE: 409,
  STORE_UNAVAILABLE: 503,
  STORE_CORRUPT: 500,
  STORE_VERSION: 500,
  LOG_BROKEN: 422,
  RUN_UNKNOWN: 404,
  RUN_EXISTS: 409,
  MACHINE_UNKNOWN: 500,
  DEFINITION_UNKNOWN: 404,
  DEFINITION_EXISTS: 409,
  DEFINITION_UNACCEPTED: 409,
  APPROVAL_UNKNOWN: 404,
  APPROVAL_DECIDED: 409,
  PASSKEY_INVALID: 403,
  TASK_UNKNOWN: 404,
  TASK_TAKEN: 409,
  REQUEST_INVALID: 422,
  REQUEST_TOO_LARGE: 413,
  TOKEN_INVALID: 401,
  NOT_PERMITTED: 403,
  OVERLOADED: 503,
  DAEMON_UNREACHABLE: 503,
  DAEMON_RUNNING: 409,
  CONFIG_INVALID: 500,
  JOB_FAILED: 409,
  INTERNAL: 500,
}

const titles: Readonly<Record<number, string>> = {
  400: 'malformed request',
  401: 'no valid token',
  403: 'not permitted',
  404: 'unknown',
  405: 'method not allowed',
  409: 'conflict with the current state',
  413: 'too large',
  415: 'unsupported content type',
  422: 'invalid request',
  426: 'upgrade not supported',
  503: 'temporarily unavailable',
}

/** Of a command that the engine did not accept: as things stand, or from this caller. */
function statusOfRefusal(code: RefusalCode): number {
  return code === 'NOT_PERMITTED' ? 403 : 409
}

type Words = {
  readonly detail: string
  readonly hint?: string
  /** Where the door knows better than the code. */
  readonly status?: number
}

/** A fault as a problem. */
export function problem(code: FaultCode, words: Words): ProblemDocument {
  return problemDocument(code, words.status ?? faultStatuses[code], words)
}

function problemDocument(code: ProblemCode, status: number, words: Words): ProblemDocument {
  return {
    type: `urn:pawl:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: titles[status] ?? 'fault',
    status,
    code,
    detail: words.detail,
    hint: words.hint ?? '',
  }
}

/** A refused command as a problem. */
export function problemOfRefusal(reply: Extract<Reply, { kind: 'refused' }>): ProblemDocument {
  const { code, reason, hint, missing, issues } = reply
  return {
    ...problemDocument(code, statusOfRefusal(code), { detail: reason, hint }),
    ...(missing === undefined ? {} : { missing }),
    ...(issues === undefined ? {} : { issues }),
  }
}

const jobStatuses: Partial<Readonly<Record<JobFaultType, number>>> = {
  InvalidInput: 422,
  InvalidFilter: 422,
  InvalidStream: 422,
  CommandNotFound: 422,
  PathOutOfScope: 422,
  ProcessNotFound: 404,
  PolicyDenied: 403,
  ApprovalRejected: 403,
  ResourceExhausted: 503,
}

function problemOfJob({ error }: JobFault): ProblemDocument {
  const hint = error.recovery_actions.map((one) => one.description).join(' ')
  const status = jobStatuses[error.error_type] ?? 409
  const detail = `${error.error_type}: ${error.description}`
  return { ...problem('JOB_FAILED', { detail, hint, status }), error }
}

/** Any thrown value as a problem. Of an unforeseen one only its kind is revealed. */
export function problemOfThrown(thrown: unknown): ProblemDocument {
  if (thrown instanceof PawlProblem) return thrown.problem
  if (thrown instanceof PawlError) {
    return problem(thrown.code, { detail: thrown.message, hint: thrown.hint })
  }
  if (thrown instanceof JobFault) return problemOfJob(thrown)
  const detail = 'internal error in Pawl'
  return problem('INTERNAL', { detail, hint: 'see daemon.log for details' })
}
