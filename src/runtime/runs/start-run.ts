/**
 * Starts a run: finds its definition, pins what it may invoke, and gives it an id.
 */
import { hash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { toUSVString } from 'node:util'
import { startFamily } from '../../core/engine/family.ts'
import { headCommitOf } from '../changes/head-commit.ts'
import type { DefinitionsContext } from '../definitions/definitions.ts'
import { findDefinition } from '../definitions/find-definition.ts'
import { PawlError } from '../pawl-error.ts'
import type { By, CommandOutcome, StartRequest } from '../runtime.ts'
import { passLock } from '../sessions/folder-locks.ts'
import { realFolder } from '../sessions/folders.ts'
import { refuseOther, refuseSecond, runOfSession } from '../sessions/session-run.ts'
import { type CommandContext, handleStart, repeatReply } from './handle-command.ts'
import type { RunTitles } from './run-titles.ts'

export async function startRun(
  context: CommandContext & DefinitionsContext & { readonly titles: RunTitles },
  request: StartRequest,
  by: By,
): Promise<CommandOutcome> {
  const { definition, task, stage, vars } = request
  refuse(request, by)
  if (context.passkeys.required() === 'passkey') refuseUnsigned(request)
  const workspace = request.workspace === null ? null : realFolder(request.workspace)
  const runId = runIdFor(by, context.newId)
  if (
    by.commandId !== null &&
    (await context.store.findReply(runId, toUSVString(by.commandId))) !== null
  ) {
    // WHY before the definition: it may have changed or gone since, and the run is there.
    return repeatReply(context, { runId, branch: null, asked: request }, by.commandId)
  }
  const { session } = request
  if (session !== undefined) refuseSecond(await runOfSession(context.store, session), by)
  if (workspace !== null) {
    await refuseOther(context.store, workspace, by)
    await passLock({ store: context.store, now: context.clock.now }, workspace, by)
  }
  const { machine, library, notes } = await findDefinition(context, { definition, task, workspace })
  const where = workspace === null ? {} : { workspace }
  const commit = workspace === null ? null : headCommitOf(workspace)
  const base = commit === null ? {} : { commit }
  const pins = Object.keys(library).length === 0 ? {} : { library }
  const mode = request.observe === undefined ? {} : ({ observe: true } as const)
  const begin = { type: 'StartRun', stage, vars, branch: null } as const
  const command = { ...begin, ...pins, ...where, ...base, ...mode }
  const birth = { runId, workspace, library, asked: request }
  const at = context.clock.now()
  // WHY first: whoever hears that the run began sees its title.
  await context.titles.begin(runId, { ...request, workspace })
  const outcome = await handleStart(
    context,
    { ...birth, begin: (context) => startFamily({ runId, machine }, command, context) },
    by,
  )
  if (session !== undefined) await context.store.claim({ runId, branch: '', session, at })
  return notes.length === 0 ? outcome : { ...outcome, notes }
}

function refuse({ stage, workspace, observe }: StartRequest, { actor }: By): void {
  if (observe !== undefined && actor.kind !== 'person') {
    const hint = 'start it without `observe`, or ask a person'
    throw new PawlError('NOT_PERMITTED', 'only a person may start a run that enforces nothing', {
      hint,
    })
  }
  // WHY: whoever chooses the first stage chooses which gates lie behind it.
  if (stage !== null && actor.kind !== 'person') {
    const hint = 'start it without a stage, or ask a person'
    throw new PawlError('NOT_PERMITTED', 'only a person may start a run in another stage', { hint })
  }
  if (workspace !== null && !isAbsolute(workspace)) {
    const hint = 'use an absolute path'
    throw new PawlError('REQUEST_INVALID', `\`${workspace}\` is not an absolute path`, { hint })
  }
}

/** WHY: both get past gates, and there is nothing that a person could sign for them yet. */
function refuseUnsigned({ stage, observe }: StartRequest): void {
  if (stage === null && observe === undefined) return
  const what = stage === null ? 'without enforcing anything' : 'in another stage'
  const hint = 'start it at its beginning, or set `approvals.proof` in config.json'
  const message = `a run cannot be started ${what} while decisions must be signed`
  throw new PawlError('NOT_PERMITTED', message, { hint })
}

/** WHY from the command id: the same start sent twice means the same run. */
function runIdFor({ commandId, actor }: By, newId: () => string): string {
  if (commandId === null) return `r${newId()}`
  return `r${hash('sha256', `${actor.kind}:${commandId}`, 'hex').slice(0, 20)}`
}
