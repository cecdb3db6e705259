/**
 * Turns what the agent sends, in the words of the author's dialect, into a command of the engine.
 */
import type { Command } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import type { Machine } from '../machine/machine.ts'
import { eventToCommand } from './workflow/event-to-command.ts'

export type AgentSignal =
  | { readonly kind: 'signal'; readonly name: string; readonly data: JsonObject | null }
  | { readonly kind: 'answer'; readonly answer: string; readonly stage: string | null }
  | { readonly kind: 'submit'; readonly inputs: JsonObject; readonly goTo: string | null }
  /** In the words of whatever dialect hears it: an event, an answer, or the fields of a form. */
  | {
      readonly kind: 'message'
      readonly name: string
      readonly data: JsonObject | null
      readonly stage: string | null
      readonly goTo: string | null
    }

/** The command an utterance means to the machine that hears it. */
export function toCommand(machine: Machine, utterance: AgentSignal): Command {
  switch (utterance.kind) {
    case 'message':
      return messageCommand(machine, utterance)
    case 'signal':
      return eventToCommand(utterance.name, utterance.data)
    case 'answer':
      return {
        type: 'SendSignal',
        name: utterance.answer,
        data: null,
        expectStage: utterance.stage,
        goTo: null,
      }
    case 'submit':
      return {
        type: 'SendSignal',
        // A machine that is no form has no such signal, and refuses it as unknown.
        name: machine.dialect === 'steps' ? (machine.ownTools[0] ?? '') : '',
        data: utterance.inputs,
        expectStage: null,
        goTo: utterance.goTo,
      }
  }
}

function messageCommand(
  machine: Machine,
  { name, data, stage, goTo }: Extract<AgentSignal, { kind: 'message' }>,
): Command {
  if (machine.dialect === 'steps') {
    return toCommand(machine, { kind: 'submit', inputs: data ?? {}, goTo })
  }
  if (machine.dialect === 'process') {
    // What comes with an answer is a note: whoever is asked about it reads it.
    return { type: 'SendSignal', name, data, expectStage: stage, goTo: null }
  }
  const command = eventToCommand(name, data)
  return command.type === 'SendSignal' ? { ...command, expectStage: stage } : command
}
