/**
 * A call before it happens: judged by its run, or by policies alone where there is none.
 */
import type { Reply } from '../../core/engine/types.ts'
import type { JsonObject } from '../../core/json.ts'
import { hashJson } from '../../core/machine/hash.ts'
import { isControlTool, isGateway, jobTools } from '../../core/tools/own-tools.ts'
import { toolOf } from '../../core/tools/tool-names.ts'
import { quorumIn } from '../../runtime/question.ts'
import type { Intent, Outcome } from '../../runtime/runtime.ts'
import { waitForDecision } from '../../runtime/wait-for-decision.ts'
import { newsFor } from './answer-session.ts'
import { asAgent, type Desk, find, type Question } from './desk.ts'
import { type HostCall, silence, type Word } from './heard.ts'
import { askText, freeText, refusalText } from './texts.ts'
import { type Found, sessionOf } from './which-run.ts'

type Run = Extract<Found, { kind: 'run' }>
type Verdict = Extract<Reply, { kind: 'verdict' }>

/** How long a call waits for what the model has cost before it. */
const payMsMax = 50

/** May this call happen? */
export async function judge(desk: Desk, question: Question, call: HostCall): Promise<Word> {
  const found = await find(desk, question)
  const owner = ownerOf(question, call)
  const own = { input: call.input, found }
  if (owner === 'control') return addressed(desk, question, own)
  switch (found.kind) {
    case 'unclear':
      return { kind: 'refuse', reason: `Pawl refused this call: ${found.reason}.` }
    case 'none': {
      if (owner === 'gateway') return forGateway(desk, question, own)
      const word = freeCall(desk, question, call)
      return owner === 'job' && word === silence ? addressed(desk, question, own) : word
    }
    case 'run': {
      if (question.heard.event.kind === 'permission') return silence
      if (owner === 'gateway') return forGateway(desk, question, own)
      await desk.spending?.settled(question.heard, payMsMax)
      if (owner === 'job' && (await mayPass(desk, call, found))) {
        return addressed(desk, question, own)
      }
      const word = await runCall(desk, question, { call, run: found })
      desk.spending?.look(question.heard, found)
      if (owner === 'stranger' || word.kind !== 'pass') return word
      return addressed(desk, question, { input: word.input ?? call.input, found })
    }
  }
}

/**
 * Whose a tool is, by its server, which the host names. `control`: what Pawl's server has for every
 * run. `job`: its tools for jobs. `pawl`: its other tools, which a definition names or which do
 * something; they are judged. `gateway`: what stands behind the gateway, which has it judged.
 */
export function ownerOf({ heard }: Question, { tool, server }: HostCall): Owner {
  const mcp = toolOf(tool, heard.host, server).server
  if (mcp !== null && isGateway(mcp.server, heard.host)) return 'gateway'
  if (mcp?.server !== 'pawl') return 'stranger'
  if (jobTools.some((one) => one === mcp.tool)) return 'job'
  return isControlTool(mcp.tool) ? 'control' : 'pawl'
}
type Owner = 'stranger' | 'control' | 'job' | 'pawl' | 'gateway'

/**
 * WHY not judged here: the gateway has it judged, under the name of the real server; twice would
 * count twice. The questions of the host to its user stay.
 */
function forGateway(desk: Desk, question: Question, passed: Passed): Word {
  return { ...addressed(desk, question, passed), isOwn: false }
}

type Pass = Extract<Word, { kind: 'pass' }>
type Passed = { readonly input: JsonObject; readonly found: Found }

/**
 * WHY nothing is kept of it: the daemon judges a job when it is to start one, and a call must not
 * count twice. What would be refused there is refused here, on record.
 */
async function mayPass({ runtime }: Desk, { tool, input }: HostCall, run: Run): Promise<boolean> {
  const inner = jobTools.find((one) => tool.endsWith(one)) ?? tool
  const asked = { definition: null, stage: null, workspace: null, host: 'claude' } as const
  const { verdict } = await runtime.judge({ ...asked, runId: run.runId, tool: inner, input })
  return verdict !== 'deny'
}

/** A call for Pawl goes through, and carries which session and run it is about. */
function addressed({ runtime }: Desk, { heard }: Question, { input, found }: Passed): Pass {
  const run = found.kind === 'run' ? found.runId : null
  const branch = found.kind === 'run' ? found.branch : null
  const mark = { session: sessionOf(heard), agent: heard.agent, run, branch }
  const _pawl = runtime.marks.prove(mark)
  return { kind: 'pass', input: { ...input, _pawl }, context: '', isOwn: true }
}

function freeCall(desk: Desk, { heard, workspace, dialect }: Question, call: HostCall): Word {
  const { tool, input, server } = call
  const { host, cwd } = heard
  const verdict = desk.runtime.checkFree({ tool, input, host, server, cwd, workspace })
  if (verdict.verdict === 'allow') return silence
  desk.log('a call without a run was refused', { tool, code: verdict.code, workspace })
  const reason = freeText(verdict)
  return verdict.verdict === 'ask' && dialect.asks
    ? { kind: 'ask', reason }
    : { kind: 'refuse', reason }
}

type Placed = { readonly call: HostCall; readonly run: Run }

async function runCall(desk: Desk, question: Question, { call, run }: Placed): Promise<Word> {
  const key = keyOf(question, call)
  const first = await check(desk, question, { call, run, commandId: key })
  // WHY once more: some hosts use a name again, and an old yes is none for a new call.
  const outcome = first.isRepeated
    ? await check(desk, question, { call, run, commandId: null })
    : first
  const reply = verdictOf(outcome)
  if (first.isRepeated && key !== null && reply.callId !== null) {
    desk.memory.putOpen(key, reply.callId)
  }
  switch (reply.verdict) {
    case 'allow':
      return letThrough(desk, question, { call, run, reply })
    case 'deny':
      return { kind: 'refuse', reason: refusalText(reply) }
    case 'ask':
      return ask(desk, question, { call, run, reply })
  }
}

type Checked = Placed & { readonly commandId: string | null }

function check(
  { runtime }: Desk,
  { heard }: Question,
  { call, run, commandId }: Checked,
): Promise<Outcome> {
  const { tool, input, server } = call
  const { host, cwd } = heard
  // WHY nought: hosts report no cost of a call, and make several at once.
  const paid = { branch: run.branch, estimateMicroUsd: 0 }
  const intent: Intent = { kind: 'check', tool, input, host, server, cwd, ...paid }
  return runtime.send(run.runId, intent, { ...asAgent, commandId })
}

function verdictOf({ reply }: Outcome): Verdict {
  if (reply.kind === 'verdict') return reply
  throw new Error(reply.kind === 'refused' ? reply.reason : 'the call was not judged')
}

type Ruled = Placed & { readonly reply: Verdict }

async function letThrough(desk: Desk, question: Question, ruled: Ruled): Promise<Word> {
  const { call, run, reply } = ruled
  if (call.key === null && reply.callId !== null) {
    desk.memory.putOpen(openKeyOf(question, call), reply.callId)
  }
  const context = await newsFor(desk, question, run)
  // WHY nothing where nothing changes: to name an input is an opinion, which some hosts act upon.
  const isSame = JSON.stringify(reply.input) === JSON.stringify(call.input)
  return { kind: 'pass', input: isSame ? null : reply.input, context, isOwn: false }
}

/** A person has to decide: the host's own user, or whoever answers within the time there is. */
async function ask(desk: Desk, question: Question, ruled: Ruled): Promise<Word> {
  const { runtime, settings, memory } = desk
  const { call, run, reply } = ruled
  const { view } = await runtime.readRun(run.runId, run.branch)
  const approvalId = view.approval?.id ?? ''
  const reason = askText(approvalId, view.approval?.message ?? reply.reason)
  // WHY: the prompt of a host is one person, and nobody knows which.
  const isForOne = quorumIn(await runtime.readApproval(approvalId)) === null
  if (question.dialect.asks && isForOne) {
    const { callId } = reply
    const key = keyOf(question, call)
    if (callId !== null && key !== null) {
      memory.putAsked(key, {
        session: sessionOf(question.heard),
        runId: run.runId,
        callId,
        approvalId,
      })
    }
    return { kind: 'ask', reason }
  }
  const isDecided = await waitForDecision(runtime, approvalId, settings.askWaitMs)
  if (!isDecided) return { kind: 'refuse', reason }
  // WHY under another id: the first one has its reply, which was to ask.
  const key = keyOf(question, call)
  const again = await check(desk, question, {
    call,
    run,
    commandId: key === null ? null : `${key}:decided`,
  })
  const second = verdictOf(again)
  if (second.verdict === 'allow') return letThrough(desk, question, { call, run, reply: second })
  return { kind: 'refuse', reason: second.verdict === 'deny' ? refusalText(second) : reason }
}

/** The host's name of a call, as the id of a command: its report finds it by that. */
export function keyOf({ heard }: Question, { key }: HostCall): string | null {
  return key === null ? null : `hook:${sessionOf(heard)}:${key}`
}

/** A call without a name of its own, by what it is. */
export function openKeyOf({ heard }: Question, { tool, input }: HostCall): string {
  return `${sessionOf(heard)}:${heard.agent ?? ''}:${hashJson({ tool, input } as JsonObject)}`
}
