/**
 * Starts a run: finds its definition, pins what it may invoke, and gives it an id.
 */
import { hash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { startFamily } from '../core/engine/family.ts'
import type { Shop } from './definitions.ts'
import { findDefinition } from './find-definition.ts'
import { type Desk, handleStart, repeatReply } from './handle-command.ts'
import { PawlError } from './pawl-error.ts'
import type { By, Outcome, StartRequest } from './runtime.ts'
import { findWaiting, runOfSession } from './session-run.ts'

export async function startRun(desk: Desk & Shop, request: StartRequest, by: By): Promise<Outcome> {
  const { definition, task, stage, vars, workspace } = request
  refuse(request, by)
  const runId = runIdFor(by, desk.newId)
  if (by.commandId !== null && (await desk.store.findReply(runId, by.commandId)) !== null) {
    // WHY before the definition: it may have changed or gone since, and the run is there.
    return repeatReply(desk, { runId, branch: null, asked: request }, by.commandId)
  }
  const { session } = request
  if (session !== undefined) await refuseSecond(desk, { session, workspace }, by)
  const { machine, library, notes } = await findDefinition(desk, { definition, task, workspace })
  const where = workspace === null ? {} : { workspace }
  const pins = Object.keys(library).length === 0 ? {} : { library }
  const command = { type: 'StartRun', stage, vars, branch: null, ...pins, ...where } as const
  const birth = { runId, workspace, library, asked: request }
  const at = desk.clock.now()
  const outcome = await handleStart(
    desk,
    { ...birth, begin: (context) => startFamily({ runId, machine }, command, context) },
    by,
  )
  if (session !== undefined) await desk.store.claim({ runId, branch: '', session, at })
  return notes.length === 0 ? outcome : { ...outcome, notes }
}

/** WHY: an agent that could leave its run for another would choose what it is held by. */
type Wish = { readonly session: string; readonly workspace: string | null }

async function refuseSecond({ store }: Desk, wish: Wish, { actor }: By): Promise<void> {
  if (actor.kind === 'person') return
  const waiting = wish.workspace === null ? null : await findWaiting(store, wish.workspace)
  if (waiting !== null) {
    const hint = 'work on that one; a person cancels it if it is not meant (`pawl cancel RUN`)'
    const message = `a person started run \`${waiting}\` here, and no session has it yet`
    throw new PawlError('NOT_PERMITTED', message, { hint })
  }
  const head = await runOfSession(store, wish.session)
  if (head === null || head.status === 'completed') return
  const hint = 'finish it; if that cannot be done, a person starts the next one (`pawl start`)'
  const message = `this session works on run \`${head.id}\`, which is ${head.status}`
  throw new PawlError('NOT_PERMITTED', message, { hint })
}

function refuse({ stage, workspace }: StartRequest, { actor }: By): void {
  // WHY: whoever chooses the first stage chooses which gates lie behind it.
  if (stage !== null && actor.kind !== 'person') {
    const hint = 'start it without a stage, or ask a person'
    throw new PawlError('NOT_PERMITTED', 'only a person may start a run in the middle', { hint })
  }
  if (workspace !== null && !isAbsolute(workspace)) {
    const hint = 'name the folder from the root'
    throw new PawlError('REQUEST_INVALID', `\`${workspace}\` is no absolute path`, { hint })
  }
}

/** WHY from the command id: the same start sent twice means the same run. */
function runIdFor({ commandId, actor }: By, newId: () => string): string {
  if (commandId === null) return `r${newId()}`
  return `r${hash('sha256', `${actor.kind}:${commandId}`, 'hex').slice(0, 20)}`
}
