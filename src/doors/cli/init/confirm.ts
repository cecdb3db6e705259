/**
 * Asks a person before something is written.
 */
import { createInterface } from 'node:readline/promises'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'

/** Whether the person says yes; a fault where there is nobody to ask. */
export async function confirm(io: Io, question: string, verb: string): Promise<boolean> {
  const { input } = io
  const hasKeyboard = 'isTTY' in input && input.isTTY === true
  if (!io.isTerminal || !hasKeyboard) {
    throw new PawlError('USAGE', 'there is no terminal to ask in, so nothing was written', {
      hint: `read the above, then \`pawl ${verb} --yes\``,
    })
  }
  io.out(`${question} [y/N] `)
  const lines = createInterface({ input })
  try {
    for await (const answer of lines) return /^y(es)?$/i.test(answer.trim())
    return false
  } finally {
    lines.close()
  }
}
