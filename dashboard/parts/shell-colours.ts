/** Colours of commands; loaded when the first command is shown, because the parser is large. */
import { highlightShell, type ShellSpan } from '../../src/core/shell-view/highlight-shell.ts'
import { commonToolOf } from '../../src/core/tools/tool-names.ts'

/** Tools whose command bash reads; what another one means by it is drawn plainly. */
const bashTools: ReadonlySet<string> = new Set(['Bash', 'Monitor'])

/** The coloured parts of a command of a tool. */
export function colourCommand(tool: string, text: string): readonly ShellSpan[] {
  return bashTools.has(commonToolOf(tool) ?? '') ? highlightShell(text) : []
}
