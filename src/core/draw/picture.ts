/**
 * A machine as something to draw: nodes, edges and short texts, the same for every printer.
 * Knows machines. Must not know a dialect's words, a layout or an output format.
 */
import type { Machine } from '../machine/machine.ts'
import { collectEdges } from './collect-edges.ts'
import { oneLine, shortenText } from './label-text.ts'
import type { GuardNote, Picture } from './picture-types.ts'
import { compareText, evidenceText, notesOfMachine } from './stage-facts.ts'

export { lineText } from './edge-line-text.ts'
export type {
  EdgeLine,
  GuardNote,
  NodeKind,
  Picture,
  PictureEdge,
  PictureEdgeKind,
  PictureFact,
  PictureNode,
} from './picture-types.ts'

const titleCharsMax = 48

/** Everything there is to draw about a machine. The same machine gives the same picture. */
export function pictureOf(machine: Machine): Picture {
  const { nodes, edges } = collectEdges(machine)
  return {
    title: shortenText(machine.name, titleCharsMax),
    about: aboutText(machine),
    notes: notesOfMachine(machine),
    guards: guardNotes(machine),
    nodes,
    edges,
  }
}

function aboutText(machine: Machine): string {
  const stages = Object.values(machine.stages)
  const count = `${stages.length} ${stages.length === 1 ? 'stage' : 'stages'}`
  return `${machine.dialect} · ${count}`
}

function guardNotes(machine: Machine): GuardNote[] {
  const notes = new Map<string, string>()
  for (const stage of Object.values(machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const guard of trigger.routes.flatMap((route) => route.guards)) {
        if (guard.kind === 'expr' || oneLine(guard.name) === '') continue
        const name = shortenText(guard.name, titleCharsMax)
        const text = guard.kind === 'evidence' ? evidenceText(guard) : compareText(guard)
        if (!notes.has(name)) notes.set(name, text)
      }
    }
  }
  return [...notes].map(([name, text]) => ({ name, text }))
}
