/**
 * The words of one line on an edge, for printers that cannot style its parts.
 */
import type { EdgeLine } from './types.ts'

/** `EVALUATE [deploy_ready]`: one line of an edge's label, without its gate. */
export function lineText(line: EdgeLine): string {
  if (line.signals === '') return line.condition === '[else]' ? 'else' : line.condition
  return line.condition === '' ? line.signals : `${line.signals} ${line.condition}`
}
