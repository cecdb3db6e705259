/**
 * Sends one request to the daemon, by the table of operations. The key, which only this origin
 * has, is sent with every request once the daemon has proved its identity.
 */
import type { OperationAnswer, OperationInput } from '../../src/doors/api/contract.ts'
import { type OperationName, operations } from '../../src/doors/api/operations-table.ts'
import { keyOf } from './session-key.ts'
import { verifyDaemon } from './verify-daemon.ts'

export type ApiProblem = {
  readonly code: string
  readonly status: number
  readonly detail: string
  readonly hint: string
  readonly findings?: readonly {
    readonly severity: string
    readonly message: string
    readonly hint: string
  }[]
}

/** What the daemon said instead of an answer; `status` 0: it could not be reached. */
export class ApiError extends Error {
  readonly problem: ApiProblem
  constructor(problem: ApiProblem) {
    super(problem.detail)
    this.problem = problem
  }
}

export type ApiCallOptions = { readonly signal?: AbortSignal; readonly commandId?: string }

/** Asks; throws an `AskProblem`. */
export async function callApi<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  options: ApiCallOptions = {},
): Promise<OperationAnswer<Name>> {
  const { method, path, repeats } = operations[name]
  const { filled, rest } = fillPath(path, input)
  const headers: Record<string, string> = { ...keyHeaders() }
  if (repeats === 'once') headers['idempotency-key'] = options.commandId ?? crypto.randomUUID()
  const isLook = method === 'GET' || method === 'DELETE'
  if (!isLook) headers['content-type'] = 'application/json'
  const response = await connectionState(isLook ? filled + queryOf(rest) : filled, {
    method,
    headers,
    signal: options.signal ?? null,
    ...(isLook ? {} : { body: JSON.stringify(rest) }),
  })
  // WHY the cast: the daemon is held to the contract by its own compiler.
  return (await response.json()) as OperationAnswer<Name>
}

const keyHeader = 'x-pawl-key'

/** The headers that say who asks. */
export function keyHeaders(): Record<string, string> {
  const key = keyOf()
  return key === null ? {} : { [keyHeader]: key }
}

let proving: { readonly key: string; readonly done: Promise<void> } | null = null

/** What listens there may be another one now: it is asked for a proof before it gets the key. */
export function recheckDaemon(): void {
  proving = null
}

/** Waits until whoever listens there has proved to be our daemon; throws if they do not. */
export async function proveDaemon(): Promise<void> {
  const key = keyOf()
  if (key !== null) await proved(key)
}

/** One proof is enough until somebody doubts; a proof that failed is asked for again. */
async function proved(key: string): Promise<void> {
  if (proving?.key !== key) proving = { key, done: prove(key) }
  const own = proving
  try {
    await own.done
  } catch (thrown) {
    if (proving === own) proving = null
    throw thrown
  }
}

async function prove(key: string): Promise<void> {
  const proof = await verifyDaemon(key).catch(() => null)
  if (proof === 'proved') return
  if (proof === null) throw unreachable()
  const isUnknown = proof === 'unknown'
  throw new ApiError({
    code: isUnknown ? 'TOKEN_INVALID' : 'DAEMON_UNREACHABLE',
    status: isUnknown ? 401 : 0,
    detail: isUnknown
      ? 'you are no longer signed in'
      : 'the program that answers here is not your daemon',
    hint: isUnknown
      ? 'run `pawl open`'
      : 'close this page, and check which program listens on its port',
  })
}

/** A request whose answer is good; anything else is thrown. */
export async function connectionState(path: string, init: RequestInit): Promise<Response> {
  const key = new Headers(init.headers).get(keyHeader)
  if (key !== null) await proved(key)
  init.signal?.throwIfAborted()
  // WHY no cookies: every port of this machine can set them, as many and as long as it likes.
  const sent = { ...init, credentials: 'omit', redirect: 'error' } as const
  const response = await fetch(path, sent).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause
    recheckDaemon()
    throw unreachable()
  })
  if (response.ok) return response
  throw new ApiError(await problemIn(response))
}

function unreachable(): ApiError {
  const detail = 'the daemon does not respond'
  return new ApiError({ code: 'DAEMON_UNREACHABLE', status: 0, detail, hint: 'is it running?' })
}

async function problemIn(response: Response): Promise<ApiProblem> {
  const { status } = response
  const told = (await response.json().catch(() => null)) as ApiProblem | null
  if (typeof told?.code === 'string') return told
  return { code: 'INTERNAL', status, detail: `the daemon answered ${status}`, hint: '' }
}

/** The fields of a path filled in, and what is left of the input. */
export function fillPath(
  path: string,
  input: object,
): { readonly filled: string; readonly rest: Readonly<Record<string, unknown>> } {
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replaceAll(/:(\w+)/g, (_, field: string) => {
    const value = String(rest[field] ?? '')
    Reflect.deleteProperty(rest, field)
    return encodeURIComponent(value)
  })
  return { filled, rest }
}

function queryOf(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) query.set(key, Array.isArray(value) ? value.join(',') : String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** Whatever was thrown, in words. */
export function wordsOf(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiError) return thrown.problem
  const detail = thrown instanceof Error ? thrown.message : String(thrown)
  return { code: 'INTERNAL', status: 0, detail, hint: '' }
}
