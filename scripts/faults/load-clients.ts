/**
 * Clients that send commands to a node and remember every answer. A command without an answer is
 * sent again later, under the same id.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../../src/client/index.ts'
import { PawlProblem } from '../../src/doors/api/problem.ts'
import { agentToken, personToken } from './settings.ts'

/** A command and the answer it got; null: none yet, so nobody knows. */
export type SentCommand = {
  readonly runId: string
  readonly commandId: string
  readonly act: Act
  answer: string | null
}
export type Act =
  | { readonly kind: 'check'; readonly tool: string; readonly path: string }
  | { readonly kind: 'signal'; readonly name: string }

export type ClientLog = { readonly sent: SentCommand[]; readonly runs: string[]; count: number }

export function newBook(): ClientLog {
  return { sent: [], runs: [], count: 0 }
}

const definition = JSON.stringify({
  id: 'faults',
  initial: 'work',
  states: {
    work: { allowed_tools: ['Read', 'Edit'], on: { NEXT: 'check' } },
    check: { allowed_tools: ['Read'], on: { NEXT: 'work' } },
    done: { type: 'final' },
  },
})

/** How long a client waits after a call that could not be kept. */
const pauseMs = 100

/** Makes sure that there is the definition and this many runs. */
export async function prepare(socket: string, book: ClientLog, runsCount: number): Promise<void> {
  const author = openClient({ socket, token: personToken })
  await author.definitions.create({ source: definition }).catch((problem: unknown) => {
    if (!(problem instanceof PawlProblem && problem.code === 'DEFINITION_EXISTS')) throw problem
  })
  for (let index = book.runs.length; index < runsCount; index += 1) {
    const started = await author.runs.start({ definition: 'faults', vars: {}, workspace: '/work' })
    book.runs.push(started.runId)
  }
  author.close()
}

/** Sends until told to stop or the node is gone. */
export async function work(
  socket: string,
  book: ClientLog,
  { clientsCount, signal }: { readonly clientsCount: number; readonly signal: AbortSignal },
): Promise<void> {
  const clients = Array.from({ length: clientsCount }, async (_, index) => {
    const client = openClient({ socket, token: agentToken, retriesMax: 0, timeoutMs: 10_000 })
    try {
      while (!signal.aborted) {
        book.count += 1
        const runId = book.runs[(index + book.count) % book.runs.length] as string
        const one: SentCommand = {
          runId,
          commandId: `c${book.count}`,
          act: actOf(book.count),
          answer: null,
        }
        book.sent.push(one)
        await send(client, one)
        if (one.answer === null) await sleep(pauseMs)
      }
    } catch (problem) {
      if (!isGone(problem)) throw problem
    } finally {
      client.close()
    }
  })
  await Promise.all(clients)
}

/** Sends again what got no answer; every one of them gets one now. */
export async function settle(socket: string, book: ClientLog): Promise<number> {
  const client = openClient({ socket, token: agentToken })
  const open = book.sent.filter((one) => one.answer === null)
  for (const one of open) await send(client, one)
  client.close()
  return open.length
}

function actOf(count: number): Act {
  if (count % 7 === 0) return { kind: 'signal', name: 'NEXT' }
  const path = `/work/file-${count % 5}.ts`
  return { kind: 'check', tool: count % 3 === 0 ? 'Edit' : 'Read', path }
}

type Client = ReturnType<typeof openClient>

async function send(client: Client, sent: SentCommand): Promise<void> {
  const { runId, commandId, act } = sent
  const options = { commandId }
  const answer =
    act.kind === 'signal'
      ? await client.runs.signal({ runId, name: act.name }, options)
      : await client.runs.check(
          // WHY an attempt: whoever sends it again is the one who never got its answer.
          { runId, tool: act.tool, input: inputOf(act), attempt: commandId },
          options,
        )
  // A call that could not be kept is denied; that answer promises nothing.
  const { reply } = answer
  if (reply.kind === 'verdict' && reply.code?.startsWith('STORE_') === true) return
  sent.answer = answerText(reply)
}

/** What must be the same however often it is sent: of a call, the verdict and the id. */
export function answerText(reply: object): string {
  if (!('verdict' in reply) || !('callId' in reply) || !('code' in reply)) {
    return JSON.stringify(reply)
  }
  const { verdict, code, callId } = reply
  // It was allowed, and its run has so many open calls that it no longer knows by whom.
  if (code === 'CALL_UNSURE') return JSON.stringify({ verdict: 'allow', code: null, callId })
  return JSON.stringify({ verdict, code, callId })
}

function inputOf({ tool, path }: Extract<Act, { kind: 'check' }>): Record<string, string> {
  return tool === 'Edit'
    ? { file_path: path, old_string: 'a', new_string: 'b' }
    : { file_path: path }
}

/** The node died, or its database did: the answer is not known. */
function isGone(problem: unknown): boolean {
  if (!(problem instanceof PawlProblem)) return false
  return ['DAEMON_UNREACHABLE', 'STORE_UNAVAILABLE', 'STORE_CONFLICT', 'OVERLOADED'].includes(
    problem.code,
  )
}
