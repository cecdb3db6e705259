/**
 * Connections to one database: every statement has a place, a deadline and a clear fault.
 * Knows the driver. Must not know tables.
 */
import postgres from 'postgres'
import { PawlError } from '../../runtime/pawl-error.ts'
import { escapeText, printArray, restoreText } from './encode-text.ts'
import { failWith, faultOf, sqlStateOf } from './faults.ts'

type PoolOptions = {
  readonly url: string
  readonly schema: string
  readonly poolMax: number
  /** For one statement, on the server. Connecting has less of it, waiting a little more. */
  readonly timeoutMs: number
}

export type Sql = postgres.Sql
type Query<T extends object> = postgres.PendingQuery<T[]>
type Items = readonly (string | number | null)[]

export type Pool = {
  readonly options: PoolOptions
  /** Runs one statement, which is one transaction. */
  readonly run: <T extends object>(make: (sql: Sql) => Query<T>) => Promise<readonly T[]>
  /** Ends when all statements have; those that come later fail. */
  readonly close: () => Promise<void>
}

const waitersMax = 10_000
const connectShare = 0.6
const connectMsMax = 3_000
const deadlineShare = 1.6
const idleSeconds = 60
const reconnectSeconds = 0.05

/**
 * No connection is made before it is needed.
 * WHY no transactions of several statements: when their connection is cut, the driver writes its
 *     `rollback` to a socket that is gone, and that throws where nobody can catch it.
 */
export function createPool(options: PoolOptions): Pool {
  const where = connectionName(options.url)
  let sql = connectPool(options)
  let isClosed = false
  const running = new Set<Promise<unknown>>()
  const seats = createSeats(options.poolMax)
  const deadlineMs = options.timeoutMs * deadlineShare

  // WHY: a statement without an answer holds its connection, perhaps for minutes. All of them are
  //      given up, since one cannot be; what was under way learns that its outcome is unknown.
  const renew = (old: Sql) => {
    if (isClosed || old !== sql) return
    sql = connectPool(options)
    old.end({ timeout: 0 }).catch(ignore)
  }

  const send = async <T extends object>(make: (sql: Sql) => Query<T>): Promise<readonly T[]> => {
    const current = sql
    try {
      return await before(make(current), deadlineMs)
    } catch (error) {
      if (/^(PAWL_DEADLINE|CONNECT_TIMEOUT)$/.test(sqlStateOf(error))) renew(current)
      throw error
    }
  }

  const run: Pool['run'] = async (make) => {
    if (isClosed) throw faultOf(failWith('CONNECTION_ENDED'), where)
    const work = seats.within(deadlineMs, () => send(make))
    running.add(work)
    try {
      return await work
    } catch (error) {
      throw faultOf(error, where)
    } finally {
      running.delete(work)
    }
  }

  const close = async () => {
    isClosed = true
    await Promise.allSettled(running)
    await sql.end({ timeout: 0 })
  }
  return { options, run, close }
}

/** Connections with the options that a store needs; none is made yet. */
export function connectPool(options: PoolOptions, pauseSeconds = reconnectSeconds): Sql {
  const { url, schema, poolMax, timeoutMs } = options
  try {
    return postgres(url, {
      max: poolMax,
      connect_timeout: Math.min(timeoutMs * connectShare, connectMsMax) / 1_000,
      idle_timeout: idleSeconds,
      // WHY: after a restart the first to ask should find the server again, not a pause of 20 s.
      backoff: () => pauseSeconds,
      // WHY: the driver asks for types in a place where a cut connection throws at nobody. The
      //      few that are needed are below.
      fetch_types: false,
      onnotice: ignore,
      connection: {
        application_name: 'pawl',
        search_path: `"${schema}"`,
        statement_timeout: timeoutMs,
        idle_in_transaction_session_timeout: timeoutMs,
        synchronous_commit: 'on',
      },
      types: {
        text: { to: 25, from: [25], serialize: escapeText, parse: restoreText },
        integer: { to: 20, from: [20], serialize: String, parse: Number },
        texts: { ...arrays, to: 1009 },
        integers: { ...arrays, to: 1016 },
      },
    })
  } catch {
    // The cause is left out: it carries the address with its password.
    throw new PawlError('CONFIG_INVALID', 'the PostgreSQL URL is invalid', {
      hint: 'write it as `postgres://user:password@host:5432/database`',
    })
  }
}

/** Host and database of an address, without user and password. */
export function connectionName(url: string): string {
  return url
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^.*@/, '')
    .replace(/\?.*$/, '')
}

function ignore(): void {
  // A notice, or the end of connections that were given up: nothing follows from it.
}

// They are only sent: no column is an array.
const arrays = { from: [], serialize: (items: Items) => printArray(items), parse: String }

/** What work gives; the fault `PAWL_DEADLINE` when it takes longer. */
export async function before<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failWith('PAWL_DEADLINE')), deadlineMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type Seats = { readonly within: <T>(waitMs: number, work: () => Promise<T>) => Promise<T> }

// WHY: who waits here has certainly not been sent; the driver's own queue cannot tell. And with a
//      seat for each connection, no statement is sent behind another one that waits for a lock.
function createSeats(count: number): Seats {
  let free = count
  const waiters = new Set<() => void>()
  const sit = (waitMs: number) =>
    new Promise<void>((resolve, reject) => {
      if (waiters.size >= waitersMax) return reject(failWith('PAWL_QUEUE'))
      const timer = setTimeout(() => {
        waiters.delete(call)
        reject(failWith('PAWL_QUEUE'))
      }, waitMs)
      const call = () => {
        waiters.delete(call)
        clearTimeout(timer)
        resolve()
      }
      waiters.add(call)
    })
  const leave = () => {
    const [next] = waiters
    if (next === undefined) free += 1
    else next()
  }
  return {
    within: async (waitMs, work) => {
      if (free > 0) free -= 1
      else await sit(waitMs)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
