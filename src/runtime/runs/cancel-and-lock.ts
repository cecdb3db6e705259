/** Cancels a run for its agent: the folder stays locked until a person acts. */
import type { CommandOutcome } from '../runtime.ts'
import { lockFolder, unlockRun } from '../sessions/folder-locks.ts'
import { type CommandContext, currentRun, viewOf } from './handle-command.ts'
import { isOpen } from './open-statuses.ts'

/** `cancel` does it. A run that only observes, or has no folder, locks nothing. */
export async function cancelAndLock(
  context: CommandContext,
  runId: string,
  cancel: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  const { head, family } = await currentRun(context, runId)
  const { workspace } = head
  if (workspace === null || !isOpen(head.status)) return cancel()
  if (viewOf(context, { family, workspace }, null).observes) return cancel()
  const tools = { store: context.store, now: context.clock.now }
  // WHY first: a daemon that dies in between must not leave the agent free.
  await lockFolder(tools, { workspace, runId })
  const outcome = await cancel()
  if (outcome.reply.kind !== 'accepted') await unlockRun(tools, runId)
  return outcome
}
