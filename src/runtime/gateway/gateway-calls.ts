/**
 * Calls through a gateway, and which of its tools may be shown: translates between the gateway and
 * the life of a call.
 */
import type { JsonObject } from '../../core/json.ts'
import { ruleFields } from '../../core/judge/rule-answer.ts'
import type { McpName } from '../../core/tools/mcp-name.ts'
import type { CallAnswer, CallRequest, Calls } from '../calls/calls.ts'
import type { LocatedRun } from '../calls/locate-run.ts'
import { foreignCall } from '../calls/open-calls.ts'
import type { By, Runtime } from '../runtime.ts'
import type { BypassToken, BypassTokens } from './bypass-tokens.ts'
import type {
  Gateway,
  GatewayCall,
  GatewayIdentity,
  GatewayReport,
  GatewayVerdict,
  ToolVisibility,
} from './gateway-port.ts'

export type GatewayTools = {
  readonly calls: Calls
  readonly runtime: Pick<Runtime, 'send' | 'checkFree' | 'judge'>
  /** When what was reported of a run before has been taken. */
  readonly counted: (runId: string) => Promise<unknown>
  /** Null: every call is asked about. */
  readonly passes: Pick<BypassTokens, 'offer'> | null
}

/** WHY one name for all gateways: what a person grants is made by whichever comes next. */
const fromGateway = { door: 'gateway', caller: '' } as const

export async function checkGatewayCall(
  tools: GatewayTools,
  call: GatewayCall,
  { actor, commandId }: By,
): Promise<GatewayVerdict> {
  const { server, input, holder, estimateMicroUsd, waitMs = 0, signal = null } = call
  // INVARIANT: before the look, so that what begins meanwhile takes it back.
  const pass = call.mark === null ? (tools.passes?.offer() ?? null) : null
  const located = await locate(tools, call)
  // What has ended is counted before the next call is judged.
  if (located.kind === 'run') await tools.counted(located.runId)
  const estimate = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const { workspace } = call
  const request: CallRequest = {
    ...fromGateway,
    place: located.kind === 'none' ? { kind: 'none', workspace } : located,
    ...({ key: commandId, sameAs: 'contents', host: 'mcp', cwd: null } as const),
    ...{ tool: spelled(server), input, server, holder, ...estimate },
  }
  return verdictOf(await tools.calls.begin(request, { actor, waitMs, signal }), pass)
}

function locate({ calls }: GatewayTools, whose: GatewayIdentity): Promise<LocatedRun> {
  const { workspace, runId, mark, last } = whose
  return calls.locate({ workspace, runId, session: null, mark, last })
}

/** As Claude Code spells it: definitions are written for that, and every host's rules know it. */
function spelled({ server, tool }: McpName): string {
  return `mcp__${server}__${tool}`
}

const nothing = {
  rule: null,
  instead: [],
  input: null,
  runId: null,
  branch: null,
  callId: null,
  approvalId: null,
  bytesLeft: null,
  pass: null,
} as const

function verdictOf(answer: CallAnswer, pass: BypassToken | null): GatewayVerdict {
  const { state, verdict, code, reason, hint, instead, runId, branch, approvalId } = answer
  const named = ruleFields(answer)
  const said = { ...nothing, verdict, code, reason, ...named, hint, instead, runId, branch }
  if (state === 'allowed') {
    const { input, callId, isUnguarded } = answer
    const bytesLeft = answer.view()?.bytesLeft ?? null
    return { ...said, input, callId, approvalId, bytesLeft, pass: isUnguarded ? pass : null }
  }
  if (state !== 'pending') return { ...said, approvalId, callId: answer.callId }
  // Without a run nobody keeps the question, so nobody can be asked.
  if (approvalId === null) return { ...said, verdict: 'deny', code: 'POLICY_DENIED' }
  const way = `a person decides with \`pawl approve ${approvalId}\`; then make the same call again`
  return { ...said, hint: way, approvalId }
}

export async function reportGatewayCall(
  { calls }: GatewayTools,
  { holder, runId, branch, callId, wasNotMade, ...ended }: GatewayReport,
  { actor }: By,
): Promise<void> {
  const made = wasNotMade === true ? { wasNotMade } : {}
  const report = { ...ended, ...made, exitCode: null }
  const request = { ...fromGateway, runId, branch, callId, holder, isLeased: true, report } as const
  // One that comes too late finds no such call, and nothing is left to be done about it.
  if ((await calls.end(request, actor)) === 'foreign') throw foreignCall(callId)
}

export const offerTools =
  (tools: GatewayTools): Gateway['offer'] =>
  async (whose, names) => {
    const located = await locate(tools, whose)
    if (located.kind === 'unclear') return { runId: null, offered: names.map(() => 'hidden') }
    const runId = located.kind === 'run' ? located.runId : null
    const offers = names.map((name) => offerOf(tools, { name, whose, runId }))
    return { runId, offered: await Promise.all(offers) }
  }

type GatewayToolCall = {
  readonly name: McpName
  readonly whose: GatewayIdentity
  readonly runId: string | null
}

async function offerOf(
  { runtime }: GatewayTools,
  { name, whose, runId }: GatewayToolCall,
): Promise<ToolVisibility> {
  const { workspace } = whose
  const input: JsonObject = {}
  const call = { tool: spelled(name), input, host: 'mcp', workspace } as const
  const { verdict, code } =
    runId === null
      ? runtime.checkFree({ ...call, server: name, cwd: null })
      : await runtime.judge({ ...call, runId, definition: null, stage: null })
  if (verdict !== 'deny') return 'listed'
  if (code === 'TOOL_NOT_ALLOWED' || code === 'POLICY_DENIED') return 'hidden'
  // While a person decides or the run rests, the stage says nothing about tools. What else is
  // denied is denied for what a call would hold, or until there is room again.
  return code === 'APPROVAL_PENDING' || code === 'RUN_NOT_RUNNING' ? 'same' : 'listed'
}

/** Puts a remark on the record of the run that a gateway works for, if there is one. */
export async function warnRun(
  tools: GatewayTools,
  whose: GatewayIdentity,
  message: string,
): Promise<void> {
  const located = await locate(tools, whose)
  if (located.kind !== 'run') return
  const by = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
  await tools.runtime.send(located.runId, { kind: 'warn', message }, by)
}
