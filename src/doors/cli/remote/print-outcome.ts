/**
 * The run after a command, for people or as JSON.
 */
import type { OperationAnswer } from '../../api/contract.ts'
import type { RemoteContext } from './remote-verb.ts'
import { printResult } from './remote-verb.ts'
import { remarkText } from './show-event.ts'
import { runText } from './show-run.ts'

/** Prints the run after a command; gives the exit code. */
export async function printOutcome(
  asked: RemoteContext,
  outcome: OperationAnswer<'runs.signal'>,
): Promise<number> {
  if (asked.look === 'json') {
    printResult(asked, outcome, () => '')
    return 0
  }
  // WHY read again: what the agent has to be told beside the brief is not in an outcome.
  const { runId } = outcome
  for (const note of outcome.notes) asked.io.err(remarkText(note, asked.io))
  const { view, notice } = await asked.remote.call('runs.read', { runId })
  asked.io.out(runText({ runId, view, notice }, asked.io))
  return 0
}
