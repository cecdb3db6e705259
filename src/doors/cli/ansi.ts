/** Colours for a terminal, and foreign text made safe for it. */
import type { Io } from './io.ts'

export type Ansi = 'red' | 'yellow' | 'green' | 'bold' | 'dim'

const codes: Readonly<Record<Ansi, number>> = { red: 31, yellow: 33, green: 32, bold: 1, dim: 2 }

/** The text in a colour, where colours are wanted. */
export function ansiFor(io: Io, colour: Ansi, text: string): string {
  return io.hasColour ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/** WHY: names out of a hostile file must not steer a terminal or hide what they are. */
export function plain(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, '�')
}

/** `1 error`, `2 errors`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
