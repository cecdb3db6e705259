/**
 * Turns the events of a workflow into commands; reporting a finished branch is a command of its
 * own.
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
