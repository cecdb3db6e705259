/** What the presenter of every dialect returns. */
import type { RunState } from '../engine/types.ts'

export type Presentation = { readonly brief: string; readonly signals: readonly string[] }

/** Paragraphs as one text; empty ones are left out. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}

/** Names in backticks, as a list in a sentence. */
export function listedText(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** What the agent has to know beside the stage: a refusal, a detour, a wait, an end. */
export function presentStatus(state: RunState): string {
  const notice = state.notice === '' ? '' : `Notice: ${state.notice}.`
  if (state.status === 'waiting') {
    return paragraphs([notice, `Waiting for a person: ${state.approval?.message ?? ''}`])
  }
  if (state.status === 'running') return notice
  const why = state.reason === '' ? '' : ` (${state.reason})`
  return paragraphs([notice, `The run is ${state.status}${why}.`])
}
