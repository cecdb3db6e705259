/**
 * Calls for tests: read as a host would send them, in a workspace of `/srv/proj`.
 */
import { compileDefinition } from '../dialects/compile-definition.ts'
import type { Call } from '../engine/types.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { sourceOf } from '../source/source.ts'
import { type CallLocation, readCall } from './read-call.ts'

const definition: Json = {
  id: 'guarded',
  initial: 'work',
  states: { work: { on: { DONE: 'done' } }, done: { type: 'final' } },
}

/** A machine that says nothing about tools. */
export function plainMachine(): Machine {
  const machine = compileDefinition(sourceOf(definition)).machines[0]
  if (machine === undefined) throw new Error('the definition of the tests has to compile')
  return machine
}

const machine = plainMachine()

/** Where the calls of the tests happen. */
export const workspace = '/srv/proj'

/** A call as it is read, by default from Claude Code. */
export function callOf(tool: string, input: JsonObject, where: Partial<CallLocation> = {}): Call {
  return readCall({ tool, input }, { machine, workspace, ...where })
}
