/**
 * Answers the hooks before and after a tool call: passes the call to the runtime, and the verdict
 * back. Decides nothing.
 */
import type { Report } from '../../core/engine/types.ts'
import { agentHosts } from '../../core/hosts/registry.ts'
import type { JsonObject } from '../../core/json.ts'
import { hashJson } from '../../core/machine/hash.ts'
import {
  isControlTool,
  isGateway,
  isSignalTool,
  jobToolNames,
} from '../../core/tools/pawl-tool-names.ts'
import { toolOf } from '../../core/tools/tool-names.ts'
import type { CallAnswer, CallPlace } from '../../runtime/calls/calls.ts'
import type { LocatedRun } from '../../runtime/calls/locate-run.ts'
import { askText, refusalText } from './agent-messages.ts'
import { newsFor, noteTold } from './answer-session.ts'
import { boxRefusalText, findBoxRefusals } from './box-messages.ts'
import {
  type HookContext,
  type HookRequest,
  hookAgent,
  locateSession,
  mayDecideAtPrompt,
  promptName,
  sessionName,
  speakerName,
} from './hook-context.ts'
import { type HookAnswer, type HostCall, passAnswer } from './hook-protocol.ts'
import type { AwaitedCall } from './session-memory.ts'

type InRun = Extract<LocatedRun, { kind: 'run' }>

/** How long a call waits for what the model has cost before it. */
const payMsMax = 50

/** May this call happen? */
export async function judgeHostCall(
  context: HookContext,
  request: HookRequest,
  call: HostCall,
): Promise<HookAnswer> {
  const located = await locateSession(context, request)
  const owner = ownerOf(request, call)
  const noteWork = (): void => {
    if (located.kind === 'run') context.memory.beginWork(speakerName(request))
  }
  if (owner === 'control') {
    if (isSignal(request, call)) noteWork()
    return passToPawl(context, request, { call, located })
  }
  if (located.kind === 'unclear') {
    const answer = await begin(context, request, { call, place: located })
    return { kind: 'refuse', reason: refusalFor(request, answer) }
  }
  // What the run let through is not judged once more when the host asks its user.
  if (located.kind === 'run' && request.heard.event.kind === 'permission') return passAnswer
  // WHY not judged here: the gateway and the runner have it judged, and twice would count twice.
  if (owner === 'gateway') {
    noteWork()
    // The questions of the host to its user stay.
    return { ...passToPawl(context, request, { call, located }), isOwn: false }
  }
  if (owner === 'job') {
    noteWork()
    return passToPawl(context, request, { call, located })
  }
  if (located.kind === 'none') return judgeWithoutRun(context, request, call)
  await context.spending?.settled(request.heard, payMsMax)
  const word = await judgeInRun(context, request, { call, located })
  context.spending?.look(request.heard, located)
  if (owner === 'stranger' || word.kind !== 'pass') return word
  const input = word.input ?? call.input
  return passToPawl(context, request, { call: { ...call, input }, located })
}

/**
 * Whose a tool is, by its server, which the host names. `control`: what Pawl's server has for every
 * run. `job`: its tools for jobs. `pawl`: its other tools, which a definition names or which do
 * something; they are judged. `gateway`: what stands behind the gateway, which has it judged.
 */
function ownerOf({ heard }: HookRequest, { tool, server }: HostCall): Owner {
  const mcp = toolOf(tool, heard.host, server).server
  if (mcp !== null && isGateway(mcp.server, heard.host)) return 'gateway'
  if (mcp?.server !== 'pawl') return 'stranger'
  if (jobToolNames.some((one) => one === mcp.tool)) return 'job'
  return isControlTool(mcp.tool) ? 'control' : 'pawl'
}
type Owner = 'stranger' | 'control' | 'job' | 'pawl' | 'gateway'

/** Whoever only looks where the run stands does not work on it; who sends it a signal does. */
function isSignal({ heard }: HookRequest, { tool, server }: HostCall): boolean {
  return isSignalTool(toolOf(tool, heard.host, server).server?.tool ?? '')
}

type LocatedCall = { readonly call: HostCall; readonly located: LocatedRun }

/** A call for Pawl goes through, and carries which session and run it is about. */
function passToPawl(
  { runtime }: HookContext,
  { heard }: HookRequest,
  { call, located }: LocatedCall,
): Extract<HookAnswer, { kind: 'pass' }> {
  const { runId: run, branch } = located.kind === 'run' ? located : { runId: null, branch: null }
  const mark = { session: sessionName(heard), agent: heard.agent, run, branch }
  const input: JsonObject = { ...call.input, _pawl: runtime.marks.prove(mark) }
  return { kind: 'pass', input, context: '', isOwn: true }
}

async function judgeWithoutRun(
  context: HookContext,
  request: HookRequest,
  call: HostCall,
): Promise<HookAnswer> {
  const { workspace, protocol } = request
  const answer = await begin(context, request, { call, place: { kind: 'none', workspace } })
  if (answer.state === 'allowed') return passAnswer
  context.log('a call without a run was denied', { tool: call.tool, code: answer.code, workspace })
  const reason = refusalFor(request, answer)
  return answer.state === 'pending' && protocol.asks
    ? { kind: 'ask', reason }
    : { kind: 'refuse', reason }
}

type RunCall = { readonly call: HostCall; readonly located: InRun }

async function judgeInRun(
  context: HookContext,
  request: HookRequest,
  { call, located }: RunCall,
): Promise<HookAnswer> {
  const answer = await begin(context, request, { call, place: located })
  // WHY not what is denied: it may be all that its user asked for, and then it ends here.
  if (answer.state !== 'denied') context.memory.beginWork(speakerName(request))
  if (answer.state === 'pending') {
    const reason = askText(answer.approvalId ?? '', answer.reason)
    const isAsked = mayDecideAtPrompt(context, request) && !answer.needsQuorum
    return { kind: isAsked ? 'ask' : 'refuse', reason }
  }
  if (answer.state !== 'allowed') return { kind: 'refuse', reason: refusalFor(request, answer) }
  const { runId, branch } = located
  context.memory.beginCall(speakerName(request), {
    ...{ key: callKey(call), runId, branch, isInLayer: isLayered(request) },
    isAgent: toolOf(call.tool, request.heard.host).act === 'agent',
  })
  await request.box?.beginPrograms(programsKey(request, call))
  const news = await newsFor(context, request, located)
  // WHY nothing where nothing changes: to name an input is an opinion, which some hosts act upon.
  const isSame = JSON.stringify(answer.input) === JSON.stringify(call.input)
  return { kind: 'pass', input: isSame ? null : answer.input, context: news, isOwn: false }
}

function refusalFor({ heard }: HookRequest, answer: CallAnswer): string {
  return refusalText(answer, { host: heard.host, dialect: answer.view()?.dialect ?? null })
}

type PlacedCall = { readonly call: HostCall; readonly place: CallPlace }

function begin(
  context: HookContext,
  asked: HookRequest,
  { call, place }: PlacedCall,
): Promise<CallAnswer> {
  const { runtime, settings } = context
  const { heard, workspace, signal } = asked
  const { tool, input, server } = call
  const { host, cwd } = heard
  const whose = { door: 'hook', caller: sessionName(heard), key: callKey(call) } as const
  // WHY zero: hosts report no cost of a call, and make several at once.
  const what = { tool, input, host, server, cwd, folder: workspace, estimateMicroUsd: 0 }
  // What was refused before this call is none of its business.
  asked.box?.takeRefused()
  const request = { place, ...whose, ...what }
  const hostMs = agentHosts[host].waitSecondsMax * 1_000
  const askWaitMs = Math.min(settings.askWaitMs, hostMs)
  const orderMs = Math.min(settings.orderWaitMs, hostMs)
  if (!mayDecideAtPrompt(context, asked)) {
    const options = { actor: hookAgent, waitMs: askWaitMs, orderMs, signal }
    return runtime.calls.begin(request, options)
  }
  const waitMs = Math.min(askWaitMs, promptWaitMsMax)
  const options = { actor: hookAgent, waitMs, orderMs, signal }
  return runtime.calls.begin({ ...request, asksUser: true }, options)
}

/** How long a hook waits whose host has a prompt, so that the prompt appears soon. */
const promptWaitMsMax = 5_000

/** The host's own name of a call; else one by what the call is. */
export function callKey({ key, tool, input }: HostCall): string {
  return key ?? `contents:${hashJson({ tool, input })}`
}

/** WHY with who speaks: sub-agents give keys of their own. */
function programsKey(request: HookRequest, call: HostCall): string {
  return `${speakerName(request)} ${callKey(call)}`
}

type ReportedCall = { readonly call: HostCall; readonly report: Report }

/** Records what became of a call, and tells the agent where its run stands if that is news. */
export async function endHostCall(
  context: HookContext,
  request: HookRequest,
  { call, report }: ReportedCall,
): Promise<HookAnswer> {
  const owner = ownerOf(request, call)
  // Its result has said where the run stands.
  if (owner === 'control') await noteTold(context, request)
  // What went through the gateway it has reported itself, and the runner its jobs.
  if (owner === 'control' || owner === 'gateway' || owner === 'job') return passAnswer
  const located = await locateSession(context, request)
  if (located.kind !== 'run') return passAnswer
  const { runId, branch } = located
  const { heard } = request
  const begun = context.memory.endCall(speakerName(request), callKey(call))
  context.spending?.look(heard, located)
  const whose = { door: 'hook', caller: sessionName(heard), key: callKey(call) } as const
  // The host asked its own user about the call, and made it: so they agreed.
  const isAsked = mayDecideAtPrompt(context, request)
  const prompt = isAsked ? { grantedAtPrompt: promptName(request) } : {}
  const ran = await request.box?.endPrograms(programsKey(request, call))
  const seen = ran ? { ...report, ran } : report
  // WHY also if its beginning is not known: then nobody knows what files it worked on.
  const beganInLayer = request.box !== null && (begun?.isInLayer ?? true)
  const layer = beganInLayer || isLayered(request) ? ({ isInLayer: true } as const) : {}
  const ended = { runId, branch, callId: null, ...whose, report: seen, ...prompt, ...layer }
  if ((await context.runtime.calls.end(ended, hookAgent)) !== 'ended') {
    context.log('the result of an unknown call was reported', { runId, tool: call.tool })
    return passAnswer
  }
  const news = await newsFor(context, request, located)
  const refused = await boxRefusals(context, request, { call, report: seen, located })
  return { ...passAnswer, context: [refused, news].filter((text) => text !== '').join('\n') }
}

/** Whether commands work on a layer over the files, which Pawl does not compare. */
function isLayered({ box }: HookRequest): boolean {
  return box?.files().mode === 'scratch'
}

/** What the kernel refused of a call in a box, so that its agent does not have to guess. */
async function boxRefusals(
  { runtime }: HookContext,
  { box, heard }: HookRequest,
  { call, report, located }: ReportedCall & RunCall,
): Promise<string> {
  if (box === null) return ''
  const servers = box.takeRefused()
  const { commonName } = toolOf(call.tool, heard.host, call.server)
  if (commonName !== null && lookingTools.has(commonName)) return ''
  const found = findBoxRefusals(report, servers)
  if (found === null) return ''
  const { view } = await runtime.readRun(located.runId, located.branch)
  return boxRefusalText({ ...found, files: box.files(), view, host: heard.host })
}

/** What they show may speak of refusals, and is none. */
const lookingTools: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS'])

/** The host does not make a call that was let through. */
export async function dropHostCall(
  context: HookContext,
  request: HookRequest,
  call: HostCall,
): Promise<HookAnswer> {
  const key = callKey(call)
  const located = await locateSession(context, request)
  context.memory.endCall(speakerName(request), key)
  if (located.kind === 'run') await drop(context, request, { ...located, key })
  return passAnswer
}

/**
 * Ends the calls of whoever speaks that can be in flight no more; at the end of a session also
 * those of its sub-agents. Their host said nothing of them, as most do of what their user declines.
 */
export async function dropOpenCalls(context: HookContext, request: HookRequest): Promise<void> {
  const { memory } = context
  const { heard } = request
  const isEnd = heard.event.kind === 'end'
  const speakers = isEnd ? memory.speakersOf(sessionName(heard)) : [speakerName(request)]
  for (const speaker of speakers) {
    for (const call of memory.takeCalls(speaker)) await drop(context, request, call)
  }
}

/** INVARIANT: it may have been made, so that whatever it counts for stays counted. */
async function drop(
  { runtime }: HookContext,
  { heard }: HookRequest,
  { runId, branch, key }: Pick<AwaitedCall, 'runId' | 'branch' | 'key'>,
): Promise<void> {
  const whose = { door: 'hook', caller: sessionName(heard), key } as const
  const unknown = { ok: false, isUnreported: true } as const
  const report = { ...unknown, output: null, exitCode: null, bytes: 0, costMicroUsd: 0 }
  await runtime.calls.end({ runId, branch, callId: null, ...whose, report }, hookAgent)
}
