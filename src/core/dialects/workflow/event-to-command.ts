/**
 * The events of a workflow as commands; the report of a finished branch is one of its own.
 */
import type { Command } from '../../engine/types.ts'
import type { JsonObject } from '../../json.ts'

const branchDone = 'BRANCH_DONE:'

/** An event the agent fires. */
export function eventToCommand(name: string, data: JsonObject | null): Command {
  if (name.startsWith(branchDone)) {
    return { type: 'FinishBranch', branch: name.slice(branchDone.length) }
  }
  return { type: 'SendSignal', name, data, expectStage: null, goTo: null }
}
