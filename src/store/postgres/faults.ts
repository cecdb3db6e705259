/**
 * What goes wrong between here and the database, as faults.
 * Knows the codes of the driver and of PostgreSQL. Must not know what was asked.
 */
import type { FaultCode } from '../../core/errors.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

type Trouble = {
  readonly codes: RegExp
  readonly fault: FaultCode
  readonly problem: string
  readonly hint: string
}

const startIt = 'start PostgreSQL, or correct the address in the configuration'
const tryAgain = 'try again; if it keeps failing, check the PostgreSQL log'

// WHY: by the class of the code where the class says enough (appendix A of PostgreSQL's manual);
//      codes of more than five characters are those of Node and of the driver.
const troubles: readonly Trouble[] = [
  unavailable(
    /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH)$/,
    'the connection was refused',
    startIt,
  ),
  unavailable(/^(ENOTFOUND|EAI_AGAIN)$/, 'its host name is unknown', startIt),
  unavailable(/^CONNECT_TIMEOUT$/, 'it does not answer in time', startIt),
  unavailable(/^PAWL_DEADLINE$/, 'it did not answer in time', tryAgain),
  unavailable(
    /^PAWL_QUEUE$/,
    'too many statements are waiting for it',
    'try again, or raise `poolMax`',
  ),
  unavailable(/^CONNECTION_ENDED$/, 'the store is closed', 'open it again'),
  unavailable(/^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT)/, 'the connection was cut', tryAgain),
  unavailable(/^28/, 'it rejects this user or password', 'correct the address and the password'),
  unavailable(/^3D/, 'there is no such database', 'create it with `createdb`'),
  unavailable(/^42501$/, 'this user lacks a privilege', 'make this user the owner of the schema'),
  unavailable(/^53100$/, 'its disk is full', 'free some space, then try again'),
  unavailable(/^53300$/, 'it has too many connections', 'raise `max_connections` or share a pool'),
  unavailable(/^57014$/, 'a statement took too long', tryAgain),
  unavailable(/^25006$/, 'it is read-only', 'use the address of the primary server'),
  unavailable(/^(08|40|53|55P03|57|58)/, 'it cannot serve now', tryAgain),
  {
    codes: /^XX00[12]$/,
    fault: 'STORE_CORRUPT',
    problem: 'its data is damaged',
    hint: 'restore a backup; `pawl db rebuild` repairs projections only',
  },
  {
    codes: /^(3F|42P01|42703)/,
    fault: 'STORE_CORRUPT',
    problem: 'tables of the store are missing',
    hint: 'restore a backup, or name another schema',
  },
]

function unavailable(codes: RegExp, problem: string, hint: string): Trouble {
  return { codes, fault: 'STORE_UNAVAILABLE', problem, hint }
}

/** A fault for what the driver threw. `where` names the database, without its password. */
export function faultOf(error: unknown, where: string): PawlError {
  if (error instanceof PawlError) return error
  const trouble = troubles.find(({ codes }) => codes.test(sqlStateOf(error)))
  const fault = trouble?.fault ?? 'INTERNAL'
  const problem = trouble?.problem ?? `it rejected a statement (${sqlStateOf(error)})`
  return new PawlError(fault, `PostgreSQL at \`${where}\`: ${problem}`, {
    hint: trouble?.hint ?? tryAgain,
    cause: error,
  })
}

/** The code of an error, or of what caused a fault. */
export function sqlStateOf(error: unknown): string {
  const thrown = error instanceof PawlError ? error.cause : error
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  return typeof code === 'string' ? code : ''
}

// WHY: 57P01 and 57P02 end a connection from the server's side; its last statement may have
//      been kept although the answer to it is missing.
const lost =
  /^(PAWL_DEADLINE|CONNECTION_CLOSED|CONNECTION_DESTROYED|ECONN|EPIPE|ETIMEDOUT|08|57P0[12])/

/** Whether a statement may have been carried out although it failed here. */
export function isOutcomeUnknown(error: unknown): boolean {
  return lost.test(sqlStateOf(error)) && sqlStateOf(error) !== 'ECONNREFUSED'
}

/** Whether another change has taken a key, or the right to go on, at the same moment. */
export function isOvertaken(error: unknown): boolean {
  // An item of the outbox has an id of its own: a second one is a bug, and no retry would help.
  const thrown = error instanceof PawlError ? error.cause : error
  const isBug = thrown instanceof Error && 'table_name' in thrown && thrown.table_name === 'outbox'
  return /^(23505|40001|40P01)$/.test(sqlStateOf(error)) && !isBug
}

/** An error of this side that is told apart by its code, like those of the driver. */
export function failWith(code: 'PAWL_DEADLINE' | 'PAWL_QUEUE' | 'CONNECTION_ENDED'): Error {
  return Object.assign(new Error(code), { code })
}
