/**
 * A call of an unattended routine: judged by the process it works on, carried out here, and
 * recorded with its source. Must not know what the tools do.
 */
import type { JsonObject } from '../../core/json.ts'
import type { DocumentScope, DocumentWriter } from '../documents/scoped-documents.ts'
import { PawlError } from '../pawl-error.ts'
import type { By, Runtime } from '../runtime.ts'
import type { CallAnswer } from './calls.ts'

/** What marks everything that comes from there, on every record. */
const processSource = 'process'

type ProcessCall = {
  readonly runId: string
  readonly branch: string | null
  readonly tool: string
  readonly input: JsonObject
  /** What the tool does, once it may. */
  readonly act: (place: ProcessPlace) => Promise<JsonObject>
}

/** For whom a tool works. */
export type ProcessPlace = {
  readonly scope: DocumentScope
  readonly by: DocumentWriter
  readonly commandId: string
}

type ProcessAnswer = {
  readonly answer: CallAnswer
  /** What the tool gave; null: it was not let through. */
  readonly value: JsonObject | null
}

/** Whoever asks there, as the record names them. */
export function byProcess({ actor, commandId }: By): By {
  return { actor: actor.kind === 'agent' ? { ...actor, name: processSource } : actor, commandId }
}

/** Judges a call, carries it out, and reports how it ended. */
export async function callForProcess(
  runtime: Runtime,
  call: ProcessCall,
  { actor, commandId }: By & { readonly commandId: string },
): Promise<ProcessAnswer> {
  const { runId, branch, tool, input } = call
  const scope = await scopeOf(runtime, runId)
  const by = byProcess({ actor, commandId })
  const place = { kind: 'run', runId, branch } as const
  const where = { ...fromRoutine, key: commandId, sameAs: 'key', place } as const
  const what = { tool, input, host: 'mcp', server: null, cwd: null, estimateMicroUsd: 0 } as const
  const answer = await runtime.calls.begin({ ...where, ...what }, { actor: by.actor, waitMs: 0 })
  const act = (): Promise<JsonObject> =>
    call.act({ scope, by: { run: runId, source: processSource }, commandId })
  // WHY made again: tools write once under one command id, and the answer may have been lost.
  if (answer.state === 'done') return { answer: { ...answer, ...madeBefore }, value: await act() }
  if (answer.state !== 'allowed') return { answer, value: null }
  const end = async (ok: boolean): Promise<void> => {
    const report = { ok, output: null, exitCode: null, bytes: null, costMicroUsd: 0 }
    const ended = { ...fromRoutine, runId, branch, callId: answer.callId, report }
    await runtime.calls.end(ended, by.actor)
  }
  try {
    const value = await act()
    await end(true)
    return { answer, value }
  } catch (fault) {
    await end(false)
    throw fault
  }
}

const fromRoutine = { door: 'routine', caller: '', holder: processSource } as const
const madeBefore = { state: 'allowed', verdict: 'allow', code: null, reason: '', hint: '' } as const

/** Whose memory and tasks a run works with. Fault `NOT_PERMITTED`: it is not a process. */
export async function scopeOf(runtime: Runtime, runId: string): Promise<DocumentScope> {
  const { head } = await runtime.readRun(runId, null)
  if (head.dialect !== 'process') {
    const hint = 'this endpoint runs processes only; use `pawl mcp` for others'
    throw new PawlError('NOT_PERMITTED', `\`${head.definition}\` is not a process`, { hint })
  }
  return { workspace: head.workspace ?? '', definition: head.definition }
}
