/**
 * A walk at a terminal: a line editor with completion and history. It scrolls and never clears, so
 * earlier output stays visible.
 */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Io } from '../io.ts'
import { completeLine } from './complete.ts'
import { promptOf, startOf } from './play-script.ts'
import { type Session, situationOf, takeLine } from './session.ts'
import { printLines, printSpan, type StyledLine, styledLine } from './styled-text.ts'

/** Lines that arrow keys bring back. */
const historyMax = 500

/** Plays until the person leaves. */
export function playTerminal(session: Session, io: Io): Promise<number> {
  const print = (lines: readonly StyledLine[]): void => io.out(printLines(lines, io))
  print([
    styledLine(''),
    styledLine(
      'you are the agent: `help` lists the commands, Tab completes, `quit` ends the session',
      'dim',
    ),
  ])
  print(startOf(session).lines)
  const terminal = openTerminal(session, io)
  return new Promise((resolve) => {
    let hasQuit = false
    const ask = (): void => {
      io.out('\n')
      terminal.setPrompt(printSpan({ text: promptOf(session), tone: 'accent' }, io))
      terminal.prompt()
    }
    terminal.on('line', (text) => {
      // Lines that were pasted behind a `quit` still arrive.
      if (hasQuit) return
      const heard = takeLine(session, text)
      print(heard.lines)
      if (heard.outcome !== 'quit') return ask()
      hasQuit = true
      terminal.close()
    })
    terminal.on('SIGINT', () => {
      if (terminal.line === '') return terminal.close()
      // What was typed is given up; the next line begins afresh.
      terminal.write(null, { ctrl: true, name: 'e' })
      terminal.write(null, { ctrl: true, name: 'u' })
    })
    terminal.on('close', () => {
      if (!hasQuit) io.out('\n')
      resolve(0)
    })
    ask()
  })
}

function openTerminal(session: Session, io: Io): Interface {
  return createInterface({
    input: io.input,
    output: terminalOutput(io),
    terminal: true,
    historySize: historyMax,
    removeHistoryDuplicates: true,
    completer: (text: string) => completeLine(text, (branch) => situationOf(session.walk, branch)),
  })
}

/** WHY: the editor wants a stream that knows its width; a verb has only a way to print. */
function terminalOutput(io: Io): Writable {
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      io.out(String(chunk))
      done()
    },
  })
  return Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: () => io.columns },
  })
}
