/**
 * A dry run of one call: a run is started in a stage, the call is judged, nothing is kept.
 * Knows runs and files. Must not know options or how the answer is shown.
 */

import type { NamedRule } from '../../../core/engine/call.ts'
import type { Context, Family } from '../../../core/engine/family.ts'
import { commandFamily, mainOf, openLeaf, startFamily } from '../../../core/engine/family.ts'
import { judgingContextOf } from '../../../core/engine/judging-context.ts'
import { stateForCaller } from '../../../core/engine/repeated-call.ts'
import { newSession } from '../../../core/engine/session-past.ts'
import type { Alternative, Reply } from '../../../core/engine/types.ts'
import type { DenialCode } from '../../../core/errors.ts'
import { finding } from '../../../core/finding.ts'
import type { HostId } from '../../../core/hosts/registry.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type ExplainedAnswer, explain } from '../../../core/judge/explain.ts'
import { judge } from '../../../core/judge/judge.ts'
import { positionAt, positionOf } from '../../../core/source/source.ts'
import { readCall } from '../../../core/tools/read-call.ts'
import { resolveSymlinks } from '../../../runtime/calls/resolve-symlinks.ts'
import type { SourceFile } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Chosen } from '../play/load.ts'
import type { LaidPolicy } from './load-policies.ts'

/** What every call of one command line is judged against. */
export type JudgeSession = {
  readonly chosen: Chosen
  readonly laid: readonly LaidPolicy[]
  readonly vars: JsonObject
  readonly workspace: string
  readonly host: HostId
}

/** A rule and where it stands; lines and columns from 1. */
export type PlacedRule = {
  readonly pointer: string
  readonly file: string
  readonly line: number
  readonly column: number
}

export type PlacedAnswer = Omit<ExplainedAnswer, keyof NamedRule> & {
  readonly rule: PlacedRule | null
}

export type JudgedCall = {
  readonly stage: string
  readonly tool: string
  readonly input: JsonObject
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly code: DenialCode | null
  readonly reason: string
  readonly hint: string
  readonly instead: readonly Alternative[]
  readonly rule: PlacedRule | null
  /** The input as it would really run; null: it would not. */
  readonly runs: JsonObject | null
  readonly chain: readonly PlacedAnswer[]
}

// WHY a fixed clock: the same call gets the same answer tomorrow. No limit has been used yet.
const at = Date.UTC(2026, 2, 11, 10, 30)

/** A run in a stage, with nothing used of it. */
export function startAt(court: JudgeSession, stage: string | null): Family {
  const { chosen, vars } = court
  const start = { type: 'StartRun', stage, vars, branch: null } as const
  const main = { runId: 'judge', machine: chosen.machine }
  const { reply, family } = startFamily(main, start, contextOf(court))
  if (reply.kind !== 'refused') return family
  throw new PawlError('USAGE', `the run cannot start: ${reply.reason}`, { hint: reply.hint })
}

function contextOf({ chosen, laid }: JudgeSession): Context {
  const policies = laid.map(({ policy }) => policy)
  const actor = { kind: 'agent', name: 'agent' } as const
  return { library: chosen.library, at, actor, policies, session: newSession }
}

type ToolInput = { readonly tool: string; readonly input: JsonObject }

/** The answer to one call, and the family after it was made as allowed and went well. */
export function judgeCallIn(
  court: JudgeSession,
  family: Family,
  spoken: ToolInput,
): { readonly judged: JudgedCall; readonly after: Family } {
  const { workspace, host } = court
  const leaf = openLeaf(family, mainOf(family))
  const call = resolveSymlinks(readCall(spoken, { machine: leaf.machine, workspace, host }))
  const context = contextOf(court)
  const check = { command: { type: 'CheckCall', call }, branch: null } as const
  const answered = commandFamily(family, check, context)
  const reply = verdictOf(answered.reply)
  const around = judgingContextOf(family, leaf, {
    policies: context.policies ?? [],
    at: context.at,
    session: context.session,
  })
  const { machine, state } = leaf
  const seen = stateForCaller(state, { call }, at)
  const { answers } = judge(call, { machine, state: seen, at, around }, 'explanation')
  const chain = explain(answers, machine.name).map(({ document, ...answer }): PlacedAnswer => {
    return { ...answer, rule: placedRule(court, machine.name, { ...answer, document }) }
  })
  const { verdict, code, reason, hint, instead } = reply
  const judged: JudgedCall = {
    ...{ stage: state.stage, tool: spoken.tool, input: spoken.input },
    ...{ verdict, code, reason, hint, instead },
    rule: placedRule(court, machine.name, reply),
    runs: verdict === 'deny' ? null : reply.input,
    chain,
  }
  return { judged, after: settled(answered.family, reply, context) }
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

function verdictOf(reply: Reply): Verdict {
  if (reply.kind === 'verdict') return reply
  throw new PawlError('INTERNAL', `bug: a call was not judged but ${reply.kind}`)
}

function settled(family: Family, { verdict, callId }: Verdict, context: Context): Family {
  if (verdict !== 'allow') return family
  const report = { ok: true, output: null, exitCode: null, bytes: null, costMicroUsd: 0 }
  const command = { type: 'ReportCall', callId, report } as const
  return commandFamily(family, { command, branch: null }, context).family
}

// ── rules and their places ──────────────────────────────────────────────────

type Placing = { readonly rule: string | null; readonly document?: string | undefined }

/** Null: no author wrote it, or not in a file at hand. */
function placedRule(court: JudgeSession, home: string, named: Placing): PlacedRule | null {
  const { rule, document = home } = named
  const laid = court.laid.find(({ file }) => file.path === document)
  const file = document === court.chosen.machine.name ? court.chosen.file : laid?.file
  return rule === null || file === undefined ? null : placed(file, rule)
}

function placed({ path, root, lines }: SourceFile, pointer: string): PlacedRule {
  const range = positionOf(root, finding('SCHEMA_INVALID', pointer, { message: '' }))
  const { line, column } = positionAt(lines, range?.start ?? 0)
  return { pointer, file: path, line, column }
}
