/** A walk without a terminal: lines from a file or a stream, each echoed with its result. */

import { lastMoment, viewNow } from '../../../testing/walk.ts'
import type { Io } from '../io.ts'
import { type LineOutcome, type Session, situationOf, takeLine } from './session.ts'
import { showDecision } from './show-decision.ts'
import { showRunState } from './show-run-state.ts'
import { printLines, type StyledLine } from './styled-text.ts'

type ScriptStyle = { readonly format: 'text' | 'json'; readonly isStrict: boolean }

/** Lines of one script. */
const scriptLinesMax = 100_000

/** Plays lines to their end; gives the exit code. */
export async function playScript(
  session: Session,
  lines: AsyncIterable<string> | Iterable<string>,
  { io, style }: { readonly io: Io; readonly style: ScriptStyle },
): Promise<number> {
  const isJson = style.format === 'json'
  const print = (text: readonly StyledLine[]): void =>
    io.out(printLines(text, { hasColour: false }))
  if (isJson) io.out(jsonLine(null, startOf(session)))
  else print(startOf(session).lines)
  let unclear = 0
  let refused = 0
  let count = 0
  for await (const text of lines) {
    count += 1
    if (count > scriptLinesMax) {
      io.err(`pawl: a script can have at most ${scriptLinesMax} lines\n  → split it\n`)
      return 2
    }
    const prompt = promptOf(session)
    const heard = takeLine(session, text)
    if (heard.outcome === 'unclear') unclear += 1
    if (heard.outcome === 'refused') refused += 1
    if (heard.outcome === 'nothing') continue
    if (isJson) io.out(jsonLine(text.trim(), heard))
    else
      print([
        [{ text: '', tone: 'plain' }],
        [{ text: `${prompt}${text.trim()}`, tone: 'plain' }],
        ...heard.lines,
      ])
    if (heard.outcome === 'quit') break
  }
  if (unclear > 0) return 2
  return style.isStrict && refused > 0 ? 1 : 0
}

/** The start, told like an answer. */
export function startOf(session: Session): LineOutcome {
  const { walk, frame } = session
  const { recorded, reply } = lastMoment(walk)
  const said = recorded.filter(({ event }) => event.type === 'text.said')
  const moment = { ...lastMoment(walk), recorded: said }
  const words = said.length === 0 ? [] : showDecision(moment, walk, frame).slice(1)
  const lines = [...words, ...showRunState(walk, null, frame)]
  return { lines, outcome: 'done', reply, recorded, trouble: null, view: viewNow(walk, null) }
}

/** The text in front of what is typed: where the run stands, and that a report is awaited. */
export function promptOf(session: Session): string {
  const { openCall, view } = situationOf(session.walk, null)
  const stage = view.stage.length > 30 ? `${view.stage.slice(0, 29)}…` : view.stage
  return openCall === null ? `${stage} › ` : `${stage} · ${openCall.tool}? › `
}

function jsonLine(input: string | null, heard: LineOutcome): string {
  const { reply, trouble, view } = heard
  const events = heard.recorded.map(({ runId, event }) => ({ run: runId, ...event }))
  const value = { input, reply, events, view, ...(trouble === null ? {} : { trouble }) }
  return `${JSON.stringify(value)}\n`
}
