/**
 * The commands of a walk, explained; and every value of a run.
 */

import { closestName } from '../../../core/closest-name.ts'
import type { View } from '../../../core/dialects/run-view.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type CommandWord, commandNamed, commandWords } from './commands.ts'
import { hang, type StyledLine, styledLine, styledSpan } from './styled-text.ts'
import { displayWidth, type ViewFrame, valueText } from './view-lines.ts'

const usageCells = 28

/** All words, or one of them. */
export function showHelp(word: string, view: View, frame: ViewFrame): StyledLine[] {
  const width = displayWidth(frame)
  const name = commandNamed(word)
  const found = commandWords.find((one) => one.name === name)
  if (found !== undefined) return wordLines(found, width)
  const near =
    word === ''
      ? null
      : closestName(
          word,
          commandWords.map((one) => one.name),
        )
  const unknown = near === null ? `unknown command \`${word}\`` : `did you mean \`${near}\`?`
  return [
    ...(word === '' ? [] : [styledLine(unknown, 'warn')]),
    styledLine('as the agent', 'strong'),
    ...sendingLines(view, width),
    ...group('agent', width),
    styledLine('as a person', 'strong'),
    ...group('person', width),
    styledLine('in this session', 'strong'),
    ...group('walk', width),
    styledLine(
      '@BRANCH before a line addresses that branch of a fork; @BRANCH alone shows it',
      'dim',
    ),
    styledLine('if a word is both a signal and a command: `send WORD` or `/WORD`', 'dim'),
  ]
}

function group(name: CommandWord['group'], width: number): StyledLine[] {
  return commandWords.filter((one) => one.group === name).flatMap((one) => wordLines(one, width))
}

function wordLines({ usage, summary }: CommandWord, width: number): StyledLine[] {
  return entry(usage, summary, width)
}

function entry(usage: string, summary: string, width: number): StyledLine[] {
  if (usage.length < usageCells - 1) {
    const head = [styledSpan(`  ${usage.padEnd(usageCells)}`, 'accent')]
    return hang(summary, { head, width, tone: 'dim' })
  }
  const head = [styledSpan(' '.repeat(usageCells + 2))]
  return [styledLine(`  ${usage}`, 'accent'), ...hang(summary, { head, width, tone: 'dim' })]
}

function sendingLines(view: View, width: number): StyledLine[] {
  if (view.dialect === 'process') return entry('ANSWER', 'answer the question', width)
  if (view.dialect === 'workflow') {
    return entry('EVENT [key=value … | JSON]', 'send an event, with data', width)
  }
  return entry('field=value … | JSON', 'submit fields, all at once or one by one', width)
}

/** Every value of a run, by scope. */
export function showVars(view: View, frame: ViewFrame): StyledLine[] {
  const width = displayWidth(frame)
  const scopes = { vars: view.vars, local: view.local, inputs: view.inputs } as const
  const lines = Object.entries(scopes).flatMap(([name, values]) => scopeLines(name, values, width))
  return lines.length === 0 ? [styledLine('no values yet', 'dim')] : lines
}

function scopeLines(name: string, values: JsonObject, width: number): StyledLine[] {
  const entries = Object.entries(values)
  if (entries.length === 0) return []
  return [
    styledLine(name, 'dim'),
    ...entries.flatMap(([key, value]) =>
      hang(valueText(value), { head: [styledSpan(`  ${key} = `, 'accent')], width }),
    ),
  ]
}
