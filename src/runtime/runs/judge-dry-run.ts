/**
 * Judges a call as a dry run, against the current state of a run or against a definition in a
 * stage. Nothing is stored.
 */

import { commandFamily, startFamily } from '../../core/engine/family.ts'
import { judgingContextOf } from '../../core/engine/judging-context.ts'
import { stateForCaller } from '../../core/engine/repeated-call.ts'
import { asksForSession, newSession, type SessionPast } from '../../core/engine/session-past.ts'
import type { Command } from '../../core/engine/types.ts'
import { explain } from '../../core/judge/explain.ts'
import { judge } from '../../core/judge/judge.ts'
import type { DefinitionsContext } from '../definitions/definitions.ts'
import { findDefinition } from '../definitions/find-definition.ts'
import { PawlError } from '../pawl-error.ts'
import type { Judgement, JudgeRequest } from '../runtime.ts'
import { type CommandContext, contextFor, contextOf, currentRun } from './handle-command.ts'
import type { LoadedRun } from './load-run.ts'
import { callOfIntent, leafOf } from './plan-command.ts'
import { headOf } from './projections.ts'

const agent = { kind: 'agent', name: 'agent' } as const

/** What would be said to this call, and by whom. */
export async function judgeDry(
  context: CommandContext & DefinitionsContext,
  request: JudgeRequest,
): Promise<Judgement> {
  const run =
    request.runId === null
      ? await imagine(context, request)
      : await currentRun(context, request.runId)
  const spoken = { ...request, server: null, cwd: null, branch: null }
  const call = callOfIntent(run, spoken, context.guarded())
  const check = { command: { type: 'CheckCall', call }, branch: null } as const
  const past = await pastFor(context, {
    run,
    command: check.command,
    isReal: request.runId !== null,
  })
  const engineContext = { ...contextFor(context, run, agent), ...past }
  const { reply } = commandFamily(run.family, check, engineContext)
  if (reply.kind !== 'verdict') throw new PawlError('INTERNAL', 'bug: a call was not judged')
  const leaf = leafOf(run, null)
  const { machine, state } = leaf
  const around = judgingContextOf(run.family, leaf, {
    policies: engineContext.policies ?? [],
    at: engineContext.at,
    ...past,
  })
  const { at } = engineContext
  const seen = stateForCaller(state, { call }, at)
  const { answers } = judge(call, { machine, state: seen, at, around }, 'explanation')
  const { kind: _, callId: __, ...said } = reply
  return { stage: state.stage, ...said, chain: explain(answers, machine.name) }
}

type Asked = { readonly run: LoadedRun; readonly command: Command; readonly isReal: boolean }

/** What the session of the run has done, where a rule asks; an imagined run has a new one. */
async function pastFor(
  context: CommandContext,
  { run, command, isReal }: Asked,
): Promise<{ readonly session?: SessionPast }> {
  const { history } = context
  if (!asksForSession(run.family, command, context.policies(run.head.workspace))) return {}
  if (!isReal) return { session: newSession }
  const name = await history.sessionOf(run.head.id, command)
  return name === null ? {} : { session: await history.look(name, run) }
}

/** A run that was never started, in the stage that is asked about. */
async function imagine(
  context: CommandContext & DefinitionsContext,
  request: JudgeRequest,
): Promise<LoadedRun> {
  const { definition, stage, workspace } = request
  if (definition === null) {
    const hint = 'send `runId` or `definition`'
    throw new PawlError('REQUEST_INVALID', 'neither a run nor a definition is given', { hint })
  }
  const { machine, library } = await findDefinition(context, { definition, task: null, workspace })
  const start = { type: 'StartRun', stage, vars: {}, branch: null } as const
  const at = context.clock.now()
  const engineContext = contextOf(context, { at, actor: agent, workspace, library })
  const { family, reply } = startFamily({ runId: 'judge', machine }, start, engineContext)
  if (reply.kind === 'refused') {
    throw new PawlError('REQUEST_INVALID', `the run does not start: ${reply.reason}`, reply)
  }
  const beginning = { workspace, startedAt: at, endedAt: null }
  const head = headOf(family, { seq: 0, hash: '', at }, beginning)
  return { family, head, library, snapshotSeq: 0 }
}
