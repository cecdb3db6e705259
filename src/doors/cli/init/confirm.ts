/**
 * Asks a person before something is written.
 */
import { createInterface } from 'node:readline/promises'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'

type Question = {
  readonly question: string
  readonly verb: string
  /** What `d` shows; null: it was shown already. */
  readonly details: string | null
}

/** Whether the person says yes; a fault where there is nobody to ask. */
export async function confirm(
  io: Io,
  { question, verb, details }: Question,
): Promise<'yes' | 'no'> {
  const { input } = io
  const hasKeyboard = 'isTTY' in input && input.isTTY === true
  if (!io.isTerminal || !hasKeyboard) {
    const run = `run \`pawl ${verb} --yes\``
    throw new PawlError('USAGE', 'there is no terminal to ask in, so nothing was changed', {
      hint: details === null ? run : `check \`pawl ${verb} --details\`, then ${run}`,
    })
  }
  const prompt = `${question} ${details === null ? '[y/N]' : '[y/N, d for details]'} `
  io.out(prompt)
  const lines = createInterface({ input })
  try {
    for await (const line of lines) {
      const answer = line.trim().toLowerCase()
      if (details === null || !['d', 'details'].includes(answer)) {
        return ['y', 'yes'].includes(answer) ? 'yes' : 'no'
      }
      io.out(`${details}${prompt}`)
    }
    return 'no'
  } finally {
    lines.close()
  }
}
