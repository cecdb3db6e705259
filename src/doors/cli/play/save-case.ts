/**
 * Turns a walk into a case: every input becomes a step, and what was seen becomes what is
 * expected.
 * Knows walks and the case format. Must not know files.
 */
import { assertNever } from '../../../core/assert.ts'
import type { View } from '../../../core/dialects/run-view.ts'
import type { Reply } from '../../../core/engine/types.ts'
import { warningCodes } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { equalJson, own } from '../../../core/json.ts'
import { usdOf } from '../../../core/money.ts'
import { caseEventTypes } from '../../../testing/case-schema.ts'
import type { Moment, Walk, WalkAction } from '../../../testing/walk.ts'

/** Where the case finds the definition: in a file, or in itself. */
export type CaseOrigin = ({ readonly definition_file: string } | { readonly definition: Json }) & {
  readonly definitions?: JsonObject
}

type CaseName = { readonly id: string; readonly title: string }

/** The walk as a case, ready to be written. */
export function caseOfWalk(walk: Walk, name: CaseName, origin: CaseOrigin): JsonObject {
  const { stage, vars } = walk.setting
  const hasStart = stage !== null || Object.keys(vars).length > 0
  const start = { ...(stage === null ? {} : { stage }), vars }
  const steps = walk.moments.flatMap((moment, index) =>
    isPlayable(moment) ? [stepOf(moment, walk.moments[index - 1]?.view ?? null)] : [],
  )
  return { ...name, ...origin, ...(hasStart ? { start } : {}), steps }
}

/** A name for the case, from the name of its file. */
export function caseId(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ['walk']
  return words.join('-')
}

/** WHY: a call to a branch that does not exist has no verdict, so no case can expect one. */
function isPlayable({ act, reply }: Moment): boolean {
  return act.kind !== 'call' || reply.kind === 'verdict'
}

function stepOf(moment: Moment, before: View | null): JsonObject {
  const run = moment.act.branch === null ? {} : { run: moment.act.branch }
  return { ...verbOf(moment.act), ...run, expect: expectOf(moment, before) }
}

function verbOf(act: WalkAction): JsonObject {
  switch (act.kind) {
    case 'signal':
      return { signal: act.name, ...(act.data === null ? {} : { data: act.data }) }
    case 'answer':
      return { answer: act.answer }
    case 'submit':
      return { submit: act.inputs, ...(act.goTo === null ? {} : { go_to_step: act.goTo }) }
    case 'call':
      return { call: { tool: act.tool, input: act.input } }
    case 'report':
      return { report: reportOf(act.report) }
    case 'approve':
      return { approve: act.note === '' ? {} : { note: act.note } }
    case 'refuse':
      return { refuse: act.note === '' ? {} : { note: act.note } }
    case 'pause':
      return { pause: { by: act.by, ...(act.release ? { release: true } : {}) } }
    case 'resume':
      return { resume: { by: act.by } }
    case 'force':
      return { force: { stage: act.stage, vars: act.vars, by: 'person' } }
    case 'wait':
      return { wait: act.time }
    case 'look':
      return { look: true }
    default:
      return assertNever(act)
  }
}

function reportOf(report: Extract<WalkAction, { kind: 'report' }>['report']): JsonObject {
  const { ok, output, exitCode, bytes, costMicroUsd } = report
  return {
    ok: ok ?? true,
    ...(output === undefined || output === null ? {} : { output }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(bytes === undefined || bytes === null ? {} : { bytes }),
    ...(costMicroUsd === undefined ? {} : { cost_usd: usdOf(costMicroUsd) }),
  }
}

function expectOf({ act, reply, recorded, view }: Moment, before: View | null): JsonObject {
  const events = recorded.map((one) => one.event)
  const types = events.map((event) => event.type).filter(isCaseEvent)
  const says = events.flatMap((event) => (event.type === 'text.said' ? [event.text] : []))
  const warnings = events.flatMap((event) =>
    event.type === 'warning.raised' && isWarningCode(event.code) ? [event.code] : [],
  )
  const isElsewhere = before === null || before.stage !== view.stage || before.runId !== view.runId
  return {
    ...(act.kind === 'call' && reply.kind === 'verdict' ? { verdict: reply.verdict } : {}),
    ...codeOf(reply),
    stage: view.stage,
    status: view.status,
    ...(isElsewhere ? { tools: view.tools, signals: view.signals } : {}),
    ...changed('vars', view, before),
    ...changed('local', view, before),
    ...changed('inputs', view, before),
    ...(view.fields.length > 0 ? { missing: view.missing } : {}),
    ...(says.length > 0 ? { says } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...pendingOf(view, before),
    ...(Object.keys(view.branches).length > 0 ? { branches: view.branches } : {}),
    ...(types.length > 0 ? { events: types } : {}),
  }
}

/** Only what was refused has a code that a case may expect. */
function codeOf(reply: Reply): JsonObject {
  if (reply.kind === 'refused') return { code: reply.code }
  const isDenied = reply.kind === 'verdict' && reply.verdict === 'deny' && reply.code !== null
  return isDenied ? { code: reply.code } : {}
}

/** What waits now, and that it waits no longer. */
function pendingOf(view: View, before: View | null): JsonObject {
  const { pendingCall, approval } = view
  const hadCall = before !== null && before.pendingCall !== null
  const hadApproval = before !== null && before.approval !== null
  return {
    ...(pendingCall !== null || hadCall ? { pending_call: pendingCall } : {}),
    ...(approval === null && !hadApproval ? {} : { approval: approvalOf(approval) }),
  }
}

function approvalOf(approval: View['approval']): Json {
  return approval === null ? null : { message: approval.message, kind: approval.kind }
}

/** Values that this step wrote, changed or took away. */
function changed(scope: 'vars' | 'local' | 'inputs', view: View, before: View | null): JsonObject {
  const now = view[scope]
  const then = before?.runId === view.runId ? before[scope] : {}
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])]
  const found: [string, Json][] = []
  for (const key of keys) {
    const value = own(now, key) ?? null
    if (!equalJson(value, own(then, key) ?? null)) found.push([key, value])
  }
  return found.length === 0 ? {} : { [scope]: Object.fromEntries(found) }
}

const caseEvents: ReadonlySet<string> = new Set(caseEventTypes)
const caseWarnings: ReadonlySet<string> = new Set(warningCodes)

function isCaseEvent(type: string): boolean {
  return caseEvents.has(type)
}

function isWarningCode(code: string): boolean {
  return caseWarnings.has(code)
}
