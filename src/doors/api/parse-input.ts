/** Parses an input with its schema; the first few errors become a problem. */
import type { z } from 'zod'
import { failedAnswer, type HandlerAnswer } from './handler-context.ts'
import { problem } from './problem.ts'

/** Reads an input. */
export function parse(schema: z.ZodType, input: unknown): HandlerAnswer<unknown> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return { ok: true, output: parsed.data }
  const issues = parsed.error.issues.slice(0, 3).map(({ path, message }) => {
    const words = message.charAt(0).toLowerCase() + message.slice(1)
    return path.length === 0 ? words : `\`${path.map(String).join('.')}\`: ${words}`
  })
  return failedAnswer(problem('REQUEST_INVALID', { detail: issues.join('; ') }))
}
