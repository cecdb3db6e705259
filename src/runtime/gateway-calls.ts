/**
 * Calls that go through a gateway. One that a person has to agree to leaves a card, so that it is
 * made once and not twice, whoever is killed meanwhile: `asked` until there is a decision, `begun`
 * from just before it is made until it is reported.
 */
import type { JsonObject } from '../core/json.ts'
import { hashCall } from '../core/judge/grants.ts'
import { hashJson } from '../core/machine/hash.ts'
import type { McpName } from '../core/tools/mcp-name.ts'
import type { Clock } from './clock.ts'
import {
  callLeaseMs,
  type Gateway,
  type GatewayCall,
  type GatewayVerdict,
  gatewayDrawer,
  type Offered,
  type Whose,
} from './gateway.ts'
import {
  type BegunCall,
  type BegunNote,
  findBegun,
  isLeased,
  noteIn,
  putAsked,
  putBegun,
  putOff,
  removeBegun,
  removeCard,
  takeOver,
} from './gateway-cards.ts'
import { isUnclear, type Place, type PlaceDesk, placeOf } from './gateway-place.ts'
import type { Pass, Passes } from './passes.ts'
import { PawlError } from './pawl-error.ts'
import type { Card, CardStore } from './ports.ts'
import type { By, Intent, Outcome, Runtime } from './runtime.ts'

export type CallsDesk = PlaceDesk & {
  readonly store: CardStore
  readonly clock: Clock
  /** When what was reported of a run before has been taken. */
  readonly counted: (runId: string) => Promise<unknown>
  /** Null: every call is asked about. */
  readonly passes: Pick<Passes, 'offer'> | null
  readonly runtime: Pick<Runtime, 'send' | 'checkFree' | 'readRun' | 'readApproval' | 'judge'>
}

/** One call of one run, under the key of its card. */
type Asked = GatewayCall & { readonly place: Place; readonly key: string }

const system = { kind: 'system', name: 'pawl' } as const

export async function checkCall(
  desk: CallsDesk,
  call: GatewayCall,
  by: By,
): Promise<GatewayVerdict> {
  // INVARIANT: before the look, so that what begins meanwhile takes it back.
  const pass = call.mark === null ? (desk.passes?.offer() ?? null) : null
  const place = await placeOf(desk, call)
  if (isUnclear(place)) return denied({ ...none, ...place })
  if (place === null) return checkFree(desk, call, pass)
  const { runId, branch } = place
  // What has ended is counted before the next call is judged.
  await desk.counted(runId)
  const hash = hashCall({ tool: spelled(call.server), input: call.input })
  const asked = { ...call, place, key: `call:${runId}:${branch ?? ''}:${hash}` }
  const card = await desk.store.readCard(gatewayDrawer, asked.key)
  return card === null ? checkAnew(desk, asked, by) : takeUp(desk, { ...asked, card }, by)
}

/** As Claude Code spells it: definitions are written for that, and every host's rules know it. */
function spelled({ server, tool }: McpName): string {
  return `mcp__${server}__${tool}`
}

const none = {
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

function denied(why: Omit<GatewayVerdict, 'verdict'>): GatewayVerdict {
  return { verdict: 'deny', ...why }
}

function checkFree({ runtime }: CallsDesk, call: GatewayCall, pass: Pass | null): GatewayVerdict {
  const { server, input, workspace } = call
  const { isFree, ...verdict } = runtime.checkFree({
    tool: spelled(server),
    input,
    host: 'mcp',
    server,
    cwd: null,
    workspace,
  })
  if (verdict.verdict === 'allow') {
    return { ...none, ...verdict, input, pass: isFree ? pass : null }
  }
  // Without a run nobody keeps the question, so nobody can be asked.
  return denied({ ...none, ...verdict, code: verdict.code ?? 'POLICY_DENIED' })
}

/** No card: the run judges. */
async function checkAnew(desk: CallsDesk, asked: Asked, by: By): Promise<GatewayVerdict> {
  const { place } = asked
  const outcome = await judge(desk, asked, by)
  const verdict = verdictOf(outcome, place)
  if (verdict.verdict === 'allow') return verdict
  const approvalId = await questionOf(desk, asked, verdict)
  return approvalId === null ? verdict : park(desk, { ...asked, card: null }, approvalId)
}

/** Of approved calls. WHY one for all: who makes such a call stands on its card, and may change. */
const approvedHolder = 'gateway'

/** WHY a hash: the log can be read by agents, and whoever knows the word could say it. */
function holderWord(holder: string): string {
  return `${approvedHolder}:${hashJson(holder)}`
}

function judge(
  { runtime }: CallsDesk,
  asked: Asked & { readonly approvalId?: string },
  by: By,
): Promise<Outcome> {
  const { server, input, place, estimateMicroUsd } = asked
  const { runId, branch } = place
  const held = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
  const intent: Intent = {
    kind: 'check',
    tool: spelled(server),
    input,
    host: 'mcp',
    server,
    cwd: null,
    branch,
    holder: asked.approvalId === undefined ? holderWord(asked.holder) : approvedHolder,
    ...held,
  }
  return runtime.send(runId, intent, by)
}

function verdictOf({ reply, view }: Outcome, place: Place): GatewayVerdict {
  if (reply.kind !== 'verdict') {
    const reason = reply.kind === 'refused' ? reply.reason : 'the call was not judged'
    const hint = reply.kind === 'refused' ? reply.hint : 'this is a fault of Pawl; tell a person'
    return denied({ ...none, ...place, code: 'INTERNAL', reason, hint })
  }
  const { kind: _, ...spoken } = reply
  const bytesLeft = reply.verdict === 'allow' ? (view()?.bytesLeft ?? null) : null
  return { ...none, ...spoken, ...place, bytesLeft }
}

/** The open question about exactly this call; null: there is none. */
async function questionOf(
  { runtime }: CallsDesk,
  { place, server, input }: Asked,
  { verdict, code }: GatewayVerdict,
): Promise<string | null> {
  if (verdict !== 'ask' && code !== 'APPROVAL_PENDING') return null
  const { approval } = (await runtime.readRun(place.runId, place.branch)).view
  if (approval === null || approval.kind !== 'call') return null
  // A question that is open since before: it may be about another call.
  const { hash } = await runtime.readApproval(approval.id)
  return hash === hashCall({ tool: spelled(server), input }) ? approval.id : null
}

type Carded = Asked & { readonly card: Card | null }

async function park(desk: CallsDesk, asked: Carded, approvalId: string): Promise<GatewayVerdict> {
  await putAsked(desk, { ...asked, runId: asked.place.runId }, approvalId)
  return waiting(desk, asked, approvalId)
}

async function waiting(
  { runtime }: CallsDesk,
  { place }: Asked,
  approvalId: string,
): Promise<GatewayVerdict> {
  const { message } = await runtime.readApproval(approvalId)
  const hint = `a person decides with \`pawl approve ${approvalId}\`; then make the same call again`
  return { ...none, ...place, verdict: 'ask', code: null, reason: message, hint, approvalId }
}

type Found = Asked & { readonly card: Card }

/** A person was asked about this call before. */
async function takeUp(desk: CallsDesk, found: Found, by: By): Promise<GatewayVerdict> {
  const note = noteIn(found.card)
  if (note.state === 'begun') return takeUpBegun(desk, { ...found, note }, by)
  const { approvalId } = note
  const { status, note: words } = await desk.runtime.readApproval(approvalId)
  if (status === 'pending') return waiting(desk, found, approvalId)
  if (status === 'granted') return begin(desk, { ...found, approvalId }, by)
  await removeCard(desk, found)
  const why = words === '' ? '' : `: ${words}`
  const reason =
    status === 'refused' ? `a person refused this call${why}` : 'nobody decided in time'
  const hint = 'go on without it; to ask once more, make the call again'
  return denied({ ...none, ...found.place, code: 'APPROVAL_REFUSED', reason, hint, approvalId })
}

/**
 * WHY under an id of the approval: who is killed between using up the grant and the card gets the
 * same verdict at the next try. Agents' ids begin with their role, so none of them can be this one.
 */
async function begin(
  desk: CallsDesk,
  found: Found & { readonly approvalId: string },
  by: By,
): Promise<GatewayVerdict> {
  const { approvalId, place, holder, estimateMicroUsd = 0 } = found
  const commandId = commandIdOf(approvalId)
  const verdict = verdictOf(await judge(desk, found, { ...by, commandId }), place)
  if (verdict.verdict !== 'allow' || verdict.callId === null) {
    await removeCard(desk, found)
    // The grant ran out or its stage was left: whatever holds now is said by a new judgement.
    const { approvalId: _, ...asked } = found
    return checkAnew(desk, asked, { ...by, commandId: null })
  }
  const { callId } = verdict
  const { runId } = place
  const { commandId: askedAs } = by
  const begun = { approvalId, runId, callId, holder, commandId: askedAs, estimateMicroUsd }
  if ((await putBegun(desk, found, begun)) === 'conflict') return beingMade(found)
  return { ...verdict, approvalId }
}

function commandIdOf(approvalId: string): string {
  return `gateway:${approvalId}`
}

function beingMade({ place }: Asked): GatewayVerdict {
  const reason = 'this very call is being made already'
  const seconds = callLeaseMs / 1_000
  const hint = `wait for its result; if its maker is gone, a try in ${seconds} s says so`
  return denied({ ...none, ...place, code: 'CALL_UNSURE', reason, hint })
}

type Begun = Found & { readonly note: BegunNote }

async function takeUpBegun(desk: CallsDesk, found: Begun, by: By): Promise<GatewayVerdict> {
  const { note, place } = found
  const { callId, approvalId } = note
  // The answer was lost on its way: the same question gets the same one.
  if (note.commandId !== null && note.commandId === by.commandId) {
    const again = await judge(
      desk,
      { ...found, approvalId },
      { ...by, commandId: commandIdOf(approvalId) },
    )
    return { ...verdictOf(again, place), approvalId }
  }
  const taken = isLeased(desk, note) ? null : await takeOver(desk, found)
  if (taken === null) return beingMade(found)
  // WHY the estimate: it may have happened, and then it has cost.
  const costMicroUsd = note.estimateMicroUsd
  const unknown = { ok: false, output: null, exitCode: null, bytes: 0, costMicroUsd }
  const about = { callId, branch: place.branch, holder: approvedHolder }
  const intent: Intent = { kind: 'report', ...about, report: unknown }
  const { reply } = await desk.runtime.send(place.runId, intent, { ...by, commandId: null })
  await removeCard(desk, taken)
  // It was reported, and only its card was left behind: this is another call.
  if (reply.kind === 'refused') return checkAnew(desk, found, by)
  const reason = 'a person approved this call and it was begun, but its end was never seen'
  const hint = 'it may have happened: look before you repeat it; making it again asks a person anew'
  return denied({ ...none, ...place, code: 'CALL_UNSURE', reason, hint, callId })
}

export const reportCall =
  (desk: CallsDesk): Gateway['report'] =>
  ({ holder, runId, branch, callId, ...report }, by) =>
    ofHolder(desk, { runId, callId, holder }, async (begun) => {
      const { reply } = await desk.runtime.send(
        runId,
        {
          ...{ kind: 'report', callId, report: { ...report, exitCode: null }, branch },
          holder: begun === null ? holderWord(holder) : approvedHolder,
        },
        by,
      )
      // One that comes too late is refused as well, and nothing is left to be done about it.
      if (reply.kind === 'refused' && reply.code === 'NOT_PERMITTED') throw anothers(callId)
      if (begun !== null) await removeBegun(desk, begun)
    })

type Made = { readonly runId: string; readonly callId: string; readonly holder: string }

/** INVARIANT: nobody but who makes a call says how it is getting on. */
async function ofHolder<T>(
  desk: CallsDesk,
  { runId, callId, holder }: Made,
  act: (begun: BegunCall | null) => Promise<T>,
): Promise<T> {
  const begun = await findBegun(desk, { runId, callId })
  if (begun === null || begun.note.holder === holder) return act(begun)
  throw anothers(callId)
}

function anothers(callId: string): PawlError {
  const message = `another process makes the call \`${callId}\`, and only its word on it counts`
  const hint = 'make the same call again: once its maker is gone you are told that it is in doubt'
  return new PawlError('NOT_PERMITTED', message, { hint })
}

export const renewCall =
  (desk: CallsDesk): Gateway['renew'] =>
  (call) =>
    ofHolder(
      desk,
      call,
      async (begun) => begun !== null && (await putOff(desk, begun)) === 'written',
    )

export const offerTools =
  (desk: CallsDesk): Gateway['offer'] =>
  async (whose, names) => {
    const place = await placeOf(desk, whose)
    if (isUnclear(place)) return { runId: null, offered: names.map(() => 'hidden') }
    const offered = await Promise.all(names.map((name) => offerOf(desk, { name, whose, place })))
    return { runId: place?.runId ?? null, offered }
  }

type Wish = { readonly name: McpName; readonly whose: Whose; readonly place: Place | null }

async function offerOf(desk: CallsDesk, { name, whose, place }: Wish): Promise<Offered> {
  const { workspace } = whose
  const input: JsonObject = {}
  const tool = spelled(name)
  const call = { tool, input, host: 'mcp', workspace } as const
  const { verdict, code } =
    place === null
      ? desk.runtime.checkFree({ ...call, server: name, cwd: null })
      : await desk.runtime.judge({ ...call, runId: place.runId, definition: null, stage: null })
  if (verdict !== 'deny') return 'listed'
  if (code === 'TOOL_NOT_ALLOWED' || code === 'POLICY_DENIED') return 'hidden'
  // While a person decides or the run rests, the stage says nothing about tools. What else is
  // denied is denied for what a call would hold, or until there is room again.
  return code === 'APPROVAL_PENDING' || code === 'RUN_NOT_RUNNING' ? 'same' : 'listed'
}

/** Puts a remark on the record of the run that a gateway works for, if there is one. */
export async function warnRun(desk: CallsDesk, whose: Whose, message: string): Promise<void> {
  const place = await placeOf(desk, whose)
  if (place === null || isUnclear(place)) return
  await desk.runtime.send(
    place.runId,
    { kind: 'warn', message },
    { actor: system, commandId: null },
  )
}
