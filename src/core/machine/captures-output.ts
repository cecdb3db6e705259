/** Whether a definition wants the output of its calls kept. */
import type { Machine } from './machine.ts'

/** WHY in the notes: a workflow's documents put it there, and nothing is enforced by it. */
export function capturesOutput({ meta }: Machine): boolean {
  return meta.capture_output === true
}
