/**
 * A call of an unattended routine: judged by the process it works on, carried out here, and on
 * record with where it came from. Must not know what the tools do.
 */
import type { Reply } from '../core/engine/types.ts'
import type { JsonObject } from '../core/json.ts'
import { PawlError } from './pawl-error.ts'
import type { By, Outcome, Runtime } from './runtime.ts'
import type { Scope, Writer } from './scoped-cards.ts'

/** What marks everything that comes from there, on every record. */
export const processSource = 'process'

export type ProcessCall = {
  readonly runId: string
  readonly branch: string | null
  readonly tool: string
  readonly input: JsonObject
  /** What the tool does, once it may. */
  readonly act: (place: ProcessPlace) => Promise<JsonObject>
}

/** For whom a tool works. */
export type ProcessPlace = {
  readonly scope: Scope
  readonly by: Writer
  readonly commandId: string
}

export type ProcessAnswer = Omit<Outcome, 'reply'> & {
  readonly reply: Extract<Reply, { kind: 'verdict' }>
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
  const where = { host: 'mcp', server: null, cwd: null, branch } as const
  const intent = { kind: 'check', tool, input, ...where, estimateMicroUsd: 0 } as const
  const checked = await runtime.send(runId, intent, by)
  const { reply, ...outcome } = checked
  if (reply.kind !== 'verdict') throw new PawlError('INTERNAL', `bug: a check was ${reply.kind}`)
  if (reply.verdict !== 'allow') return { ...outcome, reply, value: null }
  const { callId } = reply
  const report = (ok: boolean): Promise<Outcome> => {
    const said = { ok, output: null, exitCode: null, bytes: null, costMicroUsd: 0 }
    const again = { actor: by.actor, commandId: `${commandId}:report` }
    return runtime.send(runId, { kind: 'report', callId, report: said, branch }, again)
  }
  try {
    const place = { scope, by: { run: runId, source: processSource }, commandId }
    const value = await call.act(place)
    await report(true)
    return { ...outcome, reply, value }
  } catch (fault) {
    await report(false)
    throw fault
  }
}

/** Whose memory and tasks a run works with. Fault `NOT_PERMITTED`: it is no process. */
export async function scopeOf(runtime: Runtime, runId: string): Promise<Scope> {
  const { head } = await runtime.readRun(runId, null)
  if (head.dialect !== 'process') {
    const hint = 'this endpoint is for checklists; use `pawl mcp` for it'
    throw new PawlError('NOT_PERMITTED', `\`${head.definition}\` is no process`, { hint })
  }
  return { workspace: head.workspace ?? '', definition: head.definition }
}
