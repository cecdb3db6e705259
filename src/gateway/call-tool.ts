/** Calls a tool through the gateway, from the client's request to the server's answer. */
import { asObject, type Json, type JsonObject, own } from '../core/json.ts'
import { isMcpFailure, textOfMcpResult } from '../core/tools/mcp-result.ts'
import { readSignature } from '../doors/mcp/caller-mark.ts'
import { type CallRefused, type GatewayJudge, notMade } from './call-lifecycle.ts'
import type { Catalogue } from './catalogue.ts'
import type { GatewayContext } from './gateway-context.ts'
import { codes, type RpcError } from './json-rpc.ts'
import { truncateResult } from './truncate-result.ts'
import type { UpstreamAnswer, UpstreamFailure } from './upstream.ts'

/** What the client is told; null: nothing, since it no longer wants to know. */
export type ToolCallResult =
  | {
      readonly result: Json
      /** Called when it is on its way, with its size. */
      readonly after?: (bytes: number) => void
    }
  | { readonly error: RpcError }
  | null

export type CallToolContext = {
  readonly context: GatewayContext
  readonly catalogue: Catalogue
  readonly judge: GatewayJudge['judge']
  readonly judgeFreely: GatewayJudge['judgeFreely']
}

export type ToolCallRequest = {
  readonly params: JsonObject
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
}

/** What a server declares of its tool; the defaults of the protocol declare nothing. */
export function declaredBy(definition: JsonObject | undefined): { readonly changes?: boolean } {
  const hints = asObject(own(definition ?? {}, 'annotations'))
  if (hints?.readOnlyHint === false || hints?.destructiveHint === true) return { changes: true }
  return hints?.readOnlyHint === true ? { changes: false } : {}
}

/** Names of tools that a refusal lists. */
const callableMax = 30

/**
 * Passes a call on in the turn in which it came, where nobody has a say in it and nothing has to be
 * waited for; `done` is told in the turn in which its answer comes. Gives how to leave. Null: it
 * was not passed on, and `callTool` has to look at it.
 * WHY: with promises each message would wait until its stream is done with it.
 */
export function forwardUnguarded(
  { catalogue, judgeFreely }: CallToolContext,
  params: JsonObject,
  done: (told: ToolCallResult) => void,
): (() => void) | null {
  const { name, arguments: given = {}, task: _, ...asIs } = params
  const args = asObject(given)
  if (typeof name !== 'string' || args === null) return null
  const target = catalogue.knownTool(name)
  if (target === null || !target.isAccepted || !target.server.upstream.isConnected()) return null
  const { mark, input } = readSignature(args)
  if (mark !== null || !judgeFreely(input)) return null
  const forwarded = { ...asIs, name: target.name, arguments: input }
  return target.server.upstream.begin('tools/call', forwarded, (answered) => done(tell(answered)))
}

export async function callTool(
  work: CallToolContext,
  asked: ToolCallRequest,
): Promise<ToolCallResult> {
  const { params, signal, progress } = asked
  const name = own(params, 'name')
  const given = own(params, 'arguments')
  const args = given === undefined ? {} : asObject(given)
  if (typeof name !== 'string') return invalidParams('`name` must be a string')
  if (args === null) return invalidParams('`arguments` must be an object')
  const { catalogue } = work
  const target = await catalogue.findTool(name)
  if (target === null) return invalidParams(`Unknown tool: ${name.slice(0, 200)}`)
  const { server, name: tool, isAccepted } = target
  if (!isAccepted) return { result: refusedResult(unpinned(server.name, tool), []) }
  // INVARIANT: before it is judged, so that nothing is waited for between the verdict and the call.
  const away = await server.upstream.ensure()
  if (away !== null) return tell(away)
  const { mark, input } = readSignature(args)
  const costMicroUsd = server.costMicroUsd(tool)
  const named = { server: server.name, tool, ...declaredBy(server.tools().get(name)?.definition) }
  const judged = await work.judge({ server: named, input, mark, signal, progress, costMicroUsd })
  if (judged.kind === 'no') {
    if (signal.aborted) return null
    return { result: refusedResult(judged.refusal, catalogue.callable()) }
  }
  // A client that has left: nothing was made yet, and nothing is.
  if (signal.aborted) {
    judged.report?.(notMade)
    return null
  }
  // Tasks of the protocol are not passed on: nobody would judge what becomes of one.
  const { task: _, ...asIs } = params
  const forwarded = { ...asIs, name: tool, arguments: judged.input }
  const before = (): UpstreamFailure | null => {
    const now = server.tools().get(name)
    if (now?.tool === tool && now.isAccepted) return null
    const { reason, hint } = unpinned(server.name, tool)
    return { kind: 'failed', code: 'TOOL_UNPINNED', reason, hint }
  }
  const answered = await server.upstream.request('tools/call', forwarded, { signal, before })
  const told = tell(withinBudget(answered, judged.bytesLeft))
  const { report } = judged
  if (report === null) return told
  const after = (bytes: number): void => {
    const ok = answered.kind === 'result' && !isMcpFailure(answered.result)
    const output = answered.kind === 'result' ? textOfMcpResult(answered.result) : null
    report(isUnpinned(answered) ? notMade : { ok, output, bytes, costMicroUsd })
  }
  if (told === null || 'error' in told) {
    after(0)
    return told
  }
  return { ...told, after }
}

/**
 * Pawl's own refusal at the last moment: the call was not sent.
 * WHY no error of the server: it may answer with one after it has done its work.
 */
function isUnpinned(answered: UpstreamAnswer): boolean {
  return answered.kind === 'failed' && answered.code === 'TOOL_UNPINNED'
}

/** The stage takes only so many bytes of results: what is more is cut, and marked. */
function withinBudget(answered: UpstreamAnswer, bytesLeft: number | null): UpstreamAnswer {
  if (bytesLeft === null || answered.kind !== 'result') return answered
  return { kind: 'result', result: truncateResult(answered.result, bytesLeft) }
}

export function invalidParams(message: string): { readonly error: RpcError } {
  return { error: { code: codes.paramsInvalid, message } }
}

function unpinned(server: string, tool: string): CallRefused {
  const reason = `\`mcp:${server}:${tool}\` is new or has changed since a person accepted it`
  const accept = `\`pawl gateway accept ${server}:${tool}\``
  const hint = `a person can review it with \`pawl gateway pins\` and accept it with ${accept}`
  return { code: 'TOOL_UNPINNED', reason, hint, approvalId: null }
}

function tell(answered: UpstreamAnswer): ToolCallResult {
  switch (answered.kind) {
    case 'result':
      return { result: withoutOwnMeta(answered.result) }
    case 'error':
      return { error: answered.error }
    case 'cancelled':
      return null
    case 'failed': {
      const { code, reason, hint } = answered
      return { result: refusedResult({ code, reason, hint, approvalId: null }, []) }
    }
  }
}

/** WHY: what Pawl says of a call stands there, and no server may speak for it. */
function withoutOwnMeta(result: Json): Json {
  const fields = asObject(result)
  const meta = asObject(fields?._meta ?? null)
  if (fields === null || meta === null) return result
  const kept = Object.entries(meta).filter(([name]) => !name.toLowerCase().startsWith('pawl/'))
  return { ...fields, _meta: Object.fromEntries(kept) }
}

/** WHY a result: models read results, and hosts hide errors. */
function refusedResult(refusal: CallRefused, callable: readonly string[]): JsonObject {
  const { code, reason, hint, approvalId } = refusal
  const names = callable.slice(0, callableMax).join(', ')
  const lines = [
    `${code}: ${reason}`,
    ...(hint === '' ? [] : [hint]),
    ...(names === '' ? [] : [`Tools of the gateway that may be called now: ${names}`]),
  ]
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    // WHY not as structured content: that has to fit the schema of the tool.
    _meta: { 'pawl/refusal': { code, reason, hint, approvalId } },
  }
}
