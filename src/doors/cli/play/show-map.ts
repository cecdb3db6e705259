/**
 * The whole definition as a list of stages with the ways out of them, and where the walk is.
 */

import { printAscii } from '../../../core/draw/ascii.ts'
import { pictureOf } from '../../../core/draw/picture.ts'
import { cellsOf } from '../../../core/draw/picture-text.ts'
import type { Stage } from '../../../core/machine/machine.ts'
import { hearer, type Walk } from '../../../testing/walk.ts'
import { triggerText } from './show-rows.ts'
import { hang, type Line, line, span } from './styled-text.ts'
import { type Frame, widthOf } from './view-lines.ts'

/** Stages that are listed; a larger definition is better drawn into a file. */
const stagesShownMax = 200

/** Every stage of the definition that is played now. */
export function showMap(walk: Walk, frame: Frame): Line[] {
  const { machine, state } = hearer(walk, null)
  const visited = new Set<string>()
  for (const { recorded } of walk.moments) {
    for (const { event } of recorded) if (event.type === 'stage.entered') visited.add(event.stage)
  }
  const stages = Object.values(machine.stages)
  const lines = stages.slice(0, stagesShownMax).flatMap((stage) => {
    const isHere = stage.name === state.stage
    const mark = isHere ? '▶ ' : visited.has(stage.name) ? '✔ ' : '  '
    const tone = isHere ? 'accent' : 'plain'
    return [[span(mark, 'good'), span(stage.name, tone), ...endOf(stage)], ...ways(stage, frame)]
  })
  const detours = machine.detours.map((one) => line(`  ${one.pattern} ⇒ ${one.target}`, 'warn'))
  const more = stages.length - stagesShownMax
  return [...lines, ...detours, ...(more > 0 ? [line(`  … ${more} more stages`, 'dim')] : [])]
}

/** The definition as a picture; the stage the walk is in stands out. */
export function showPicture(walk: Walk): Line[] {
  const { machine, state } = hearer(walk, null)
  const picture = printAscii(pictureOf(machine)).trimEnd()
  return picture.split('\n').map((text) => {
    const title = /^[│║] (?:[✔✘■] )?(.*?)\s+[│║]/.exec(text)?.[1]
    return line(text, title === state.stage ? 'accent' : 'plain')
  })
}

function endOf(stage: Stage): Line {
  return stage.final === null ? [] : [span(`  ■ ${stage.final}`, 'dim')]
}

function ways(stage: Stage, frame: Frame): Line[] {
  const names = Object.keys(stage.signals)
  const cells = Math.min(24, Math.max(0, ...names.map(cellsOf)))
  return Object.entries(stage.signals).flatMap(([name, trigger]) => {
    const gap = ' '.repeat(Math.max(1, cells - cellsOf(name) + 2))
    const head = [span(`    ${name}${gap}`, 'dim')]
    return hang(triggerText(trigger), { head, width: widthOf(frame), tone: 'dim' })
  })
}
