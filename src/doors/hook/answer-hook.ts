/**
 * Answers the hooks of hosts: parses the event, finds its run, asks the runtime, and answers in
 * the host's format. Knows sessions. Verdicts come from the runtime.
 */
import { assertNever } from '../../core/assert.ts'
import { agentHosts } from '../../core/hosts/registry.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { asObject } from '../../core/json.ts'
import { hashJson } from '../../core/machine/hash.ts'
import { realFolder } from '../../runtime/sessions/folders.ts'
import type {
  AnswerHook,
  AnswerHttpHook,
  HookReply,
  HookRequestBody,
} from '../api/hook-exchange.ts'
import { callKey, dropHostCall, dropOpenCalls, endHostCall, judgeHostCall } from './answer-call.ts'
import { answerPrompt, answerStop, beginSession, noteSession } from './answer-session.ts'
import {
  type HookContext,
  type HookOptions,
  type HookRequest,
  locateSession,
  sessionName,
  speakerName,
  speaksFor,
} from './hook-context.ts'
import { openHookPairs } from './hook-pairs.ts'
import {
  blockAnswer,
  type HookAnswer,
  type HookInput,
  type HookWire,
  passAnswer,
  printReply,
} from './hook-protocol.ts'
import { hookProtocolOf } from './hosts/host-protocols.ts'
import { openSessionMemory, openSessionSet } from './session-memory.ts'
import { answerWithoutHooks, placeOfUser, type UserPlace } from './user-hooks.ts'

export type HookAnswerer = {
  readonly answer: AnswerHook
  /** The same for a host that asks over HTTP. */
  readonly answerHttp: AnswerHttpHook
}

/** Opens what answers hooks. */
export function openHookAnswerer(options: HookOptions): HookAnswerer {
  const context: HookContext = {
    ...options,
    memory: openSessionMemory(),
    pairs: openHookPairs(),
    withHooks: openSessionSet(),
  }
  return {
    answer: async (question, signal) => {
      const asked = { ...question, payload: parse(question.payload), signal: signal ?? null }
      return printReply(await answer(context, asked, 'command'))
    },
    answerHttp: (question, signal) =>
      answer(context, { ...question, signal: signal ?? null }, 'http'),
  }
}

type ParsedHookRequest = HookRequestBody<JsonObject | null> & Pick<HookRequest, 'signal'>

/** Nothing at all: the host goes on as if there were no hook. */
const silence: HookReply = { kind: 'json', json: {} }

async function answer(
  context: HookContext,
  question: ParsedHookRequest,
  wire: HookWire,
): Promise<HookReply> {
  const { payload, runId, signal } = question
  const protocol = hookProtocolOf(question.host, payload)
  const isUser = question.scope === 'user'
  const heard = payload === null ? null : (protocol?.read(payload) ?? null)
  if (protocol === null || heard === null) {
    const isElsewhere =
      isUser && runId === null && context.guard.of(question.workspace ?? '/') === null
    if (isElsewhere) return silence
    context.log('a hook was not understood', { host: question.host })
    const what = `Pawl does not understand this event of \`${question.host}\`, so it is blocked`
    return blockAnswer(`${what}; update Pawl, or run \`pawl doctor\``)
  }
  const folder = question.workspace ?? heard.cwd ?? '/'
  const scope = isUser ? 'user' : protocol.host === question.host ? 'project' : 'borrowed'
  if (!isUser) context.withHooks.add(sessionName(heard))
  try {
    const place = isUser
      ? await placeOfUser(context, { heard, folder, runId })
      : placeOfProject(context, heard, folder)
    if (place === null) return silence
    const id = eventName(heard, realFolder(place.workspace))
    const { word, isSecond } = await context.pairs({ id, scope }, () => {
      // Its own hooks were loaded before they were removed, and hold it still.
      if (place.problems.length > 0 && !context.withHooks.has(sessionName(heard))) {
        return Promise.resolve(answerWithoutHooks(context, heard, place))
      }
      const { workspace, mayClaim } = place
      const by = isUser ? 'user' : 'project'
      const { box = null } = question
      return hear(context, { heard, protocol, workspace, runId, mayClaim, scope: by, box, signal })
    })
    return protocol.answer(heard, isSecond ? repeated(heard, word) : word, wire)
  } catch (fault) {
    const what = fault instanceof Error ? fault.message : String(fault)
    context.log('a hook could not be answered', {
      host: heard.host,
      event: heard.name,
      fault: what,
    })
    const reason = `Pawl could not decide (${what}), so this is blocked`
    const hint = 'ask a person to run `pawl status`'
    return protocol.answer(heard, faultWord(heard, `${reason}; ${hint}`), wire)
  }
}

/**
 * The folder for which the hooks of a project speak.
 * WHY not always its own: some hosts run them in the other work trees of its repository as well.
 */
function placeOfProject(
  { guard, memory }: HookContext,
  heard: HookInput,
  workspace: string,
): UserPlace {
  const { cwd, event } = heard
  const session = sessionName(heard)
  if (event.kind === 'begin' && cwd !== null) memory.beginIn(session, cwd)
  const start = memory.startOf(session)
  const bound = start === null || start === workspace ? null : guard.of(start)
  const isHere = bound !== null && realFolder(bound.workspace) === realFolder(workspace)
  return { workspace: isHere ? bound.folder : workspace, problems: [], mayClaim: true }
}

/**
 * The same for every hook that is asked about one event.
 * WHY with the folder and the input: what was allowed in one folder, or for another input under
 * the same key, is not allowed here by that.
 */
function eventName(heard: HookInput, workspace: string): string {
  const { name, agent, event } = heard
  const call = 'call' in event ? [callKey(event.call), hashJson(event.call.input)] : []
  return JSON.stringify([sessionName(heard), agent, name, workspace, ...call])
}

/** What the other hook has said: a refusal stands, and nothing else is said twice. */
function repeated({ event }: HookInput, word: HookAnswer): HookAnswer {
  if (word.kind === 'pass') return passAnswer
  return event.kind === 'stop' || event.kind === 'agent-stop' ? passAnswer : word
}

/** INVARIANT: a fault denies wherever a call could run; stopping stays possible. */
function faultWord({ event }: HookInput, reason: string): HookAnswer {
  switch (event.kind) {
    case 'call':
    case 'permission':
    case 'prompt':
    case 'config':
      return { kind: 'refuse', reason }
    default:
      return passAnswer
  }
}

function parse(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text) as Json)
  } catch {
    // No JSON: the caller blocks.
    return null
  }
}

async function hear(context: HookContext, request: HookRequest): Promise<HookAnswer> {
  const { heard } = request
  const { event } = heard
  if (event.kind === 'stop' && isOfSubAgent(context, request)) return passAnswer
  if (hasNoCallInFlight(heard)) await dropOpenCalls(context, request)
  switch (event.kind) {
    case 'call':
    case 'permission':
      return judgeHostCall(context, request, event.call)
    case 'report':
      return endHostCall(context, request, event)
    case 'declined':
      return dropHostCall(context, request, event.call)
    case 'prompt':
      return answerPrompt(context, request, event)
    case 'begin':
    case 'agent-begin':
      return beginSession(context, request)
    case 'stop':
    case 'agent-stop':
      return answerStop(context, request)
    case 'config':
      return keepHooks(context, request)
    case 'end':
      return end(context, request)
    case 'nothing':
      return payUses(context, request)
    default:
      return assertNever(event)
  }
}

/** Whether a stop is that of a sub-agent, which its host does not say. */
function isOfSubAgent({ memory }: HookContext, request: HookRequest): boolean {
  return request.protocol.namesAgents === false && memory.hasSubAgent(speakerName(request))
}

/** Whether whoever speaks has ended its turn, or its user has. */
function hasNoCallInFlight({ event, agent, host }: HookInput): boolean {
  switch (event.kind) {
    case 'stop':
      return true
    case 'agent-stop':
      return agent !== null
    case 'prompt':
      // WHY only there: at other hosts a person may write while a call is running.
      return agentHosts[host].canAskUser && event.by === 'person' && agent === null
    default:
      return false
  }
}

/** A host that tells what its models have used, and nothing else. */
async function payUses(context: HookContext, request: HookRequest): Promise<HookAnswer> {
  if (request.heard.uses.length === 0) return passAnswer
  const found = await locateSession(context, request)
  if (found.kind === 'run') context.spending?.look(request.heard, found)
  return passAnswer
}

/** How long the end of a session waits for its last answers to be paid. */
const lastPayMsMax = 500

/** A session ends: its run, and the branches of its sub-agents, are there for the next one. */
async function end(context: HookContext, request: HookRequest): Promise<HookAnswer> {
  const { runtime, memory, spending, withHooks } = context
  const { heard } = request
  const session = sessionName(heard)
  const head = await runtime.sessions.runOf(session)
  if (head !== null && !speaksFor(request, head)) return passAnswer
  // A run that the environment names is nobody's by a claim, and is paid for all the same.
  // WHY looked up: what the environment names may be no run at all, or one of another folder.
  const paying = request.runId === null ? head : await runtime.readHead(request.runId)
  if (paying !== null && speaksFor(request, paying)) {
    spending?.look(heard, { runId: paying.id, branch: null })
    await spending?.settled(heard, lastPayMsMax)
    await noteSession(context, request, { runId: paying.id, what: 'ended' })
  }
  await dropOpenCalls(context, request)
  const claims = head === null ? [] : await runtime.sessions.claimsOn(head.id)
  const mine = claims.map((claim) => claim.session).filter((one) => one.startsWith(`${session}/`))
  for (const one of new Set([session, ...mine])) await runtime.sessions.releaseSession(one)
  memory.forget(session)
  withHooks.delete(session)
  return passAnswer
}

/** Settings of the host have changed: ours have to be in them still. */
async function keepHooks(context: HookContext, request: HookRequest): Promise<HookAnswer> {
  const problems = context.checkHooks(request.workspace, null)
  if (problems.length === 0) return passAnswer
  const message = `the hooks of ${request.heard.host} were changed: ${problems.join('; ')}`
  context.log('hooks were changed', { workspace: request.workspace, problems: [...problems] })
  const found = await locateSession(context, request)
  if (found.kind === 'run') {
    const by = { actor: { kind: 'system', name: 'pawl' }, commandId: null } as const
    await context.runtime.send(found.runId, { kind: 'warn', message }, by)
  }
  const hint = 'the old hooks stay in force; a person can remove them with `pawl uninit`'
  return { kind: 'refuse', reason: `Pawl: ${message}; ${hint}` }
}
