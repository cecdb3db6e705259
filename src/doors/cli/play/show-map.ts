/**
 * The whole definition as a list of stages with their routes, and the current stage of the walk.
 */

import { printAscii } from '../../../core/draw/ascii.ts'
import { cellsOf } from '../../../core/draw/label-text.ts'
import { pictureOf } from '../../../core/draw/picture.ts'
import type { Stage } from '../../../core/machine/machine.ts'
import { listeningMember, type Walk } from '../../../testing/walk.ts'
import { triggerText } from './show-rows.ts'
import { hang, type StyledLine, styledLine, styledSpan } from './styled-text.ts'
import { displayWidth, type ViewFrame } from './view-lines.ts'

/** Stages that are listed; a larger definition is better drawn into a file. */
const stagesShownMax = 200

/** Every stage of the definition that is played now. */
export function showMap(walk: Walk, frame: ViewFrame): StyledLine[] {
  const { machine, state } = listeningMember(walk, null)
  const visited = new Set<string>()
  for (const { recorded } of walk.moments) {
    for (const { event } of recorded) if (event.type === 'stage.entered') visited.add(event.stage)
  }
  const stages = Object.values(machine.stages)
  const lines = stages.slice(0, stagesShownMax).flatMap((stage) => {
    const isHere = stage.name === state.stage
    const mark = isHere ? '▶ ' : visited.has(stage.name) ? '✔ ' : '  '
    const tone = isHere ? 'accent' : 'plain'
    return [
      [styledSpan(mark, 'good'), styledSpan(stage.name, tone), ...endOf(stage)],
      ...ways(stage, frame),
    ]
  })
  const detours = machine.detours.map((one) =>
    styledLine(`  ${one.pattern} ⇒ ${one.target}`, 'warn'),
  )
  const more = stages.length - stagesShownMax
  return [...lines, ...detours, ...(more > 0 ? [styledLine(`  … ${more} more stages`, 'dim')] : [])]
}

/** The definition as a picture; the stage the walk is in stands out. */
export function showPicture(walk: Walk): StyledLine[] {
  const { machine, state } = listeningMember(walk, null)
  const picture = printAscii(pictureOf(machine)).trimEnd()
  return picture.split('\n').map((text) => {
    const title = /^[│║] (?:[✔✘■] )?(.*?)\s+[│║]/.exec(text)?.[1]
    return styledLine(text, title === state.stage ? 'accent' : 'plain')
  })
}

function endOf(stage: Stage): StyledLine {
  return stage.final === null ? [] : [styledSpan(`  ■ ${stage.final}`, 'dim')]
}

function ways(stage: Stage, frame: ViewFrame): StyledLine[] {
  const names = Object.keys(stage.signals)
  const cells = Math.min(24, Math.max(0, ...names.map(cellsOf)))
  return Object.entries(stage.signals).flatMap(([name, trigger]) => {
    const gap = ' '.repeat(Math.max(1, cells - cellsOf(name) + 2))
    const head = [styledSpan(`    ${name}${gap}`, 'dim')]
    return hang(triggerText(trigger), { head, width: displayWidth(frame), tone: 'dim' })
  })
}
