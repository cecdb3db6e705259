/** The text of one line on an edge, for printers that cannot style its parts. */
import type { EdgeLine } from './picture-types.ts'

/** What a gate says that has no message of its own. */
export const plainGate = 'needs approval'

/** `needs approval: Merge?`: a gate in words, which needs no sign beside it. */
export function gateText(gate: string): string {
  return gate === plainGate ? plainGate : `${plainGate}: ${gate}`
}

/** `EVALUATE [deploy_ready]`: one line of an edge's label, without its gate. */
export function lineText(line: EdgeLine): string {
  if (line.signals === '') return line.condition === '[else]' ? 'else' : line.condition
  return line.condition === '' ? line.signals : `${line.signals} ${line.condition}`
}
