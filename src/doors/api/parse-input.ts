/** Parses an input with its schema; the first few errors become a problem. */
import type { z } from 'zod'
import { failedAnswer, type HandlerAnswer } from './handler-context.ts'
import { type ProblemDocument, problem } from './problem.ts'

type ErrorOf = (issues: readonly z.core.$ZodIssue[], detail: string) => ProblemDocument['error']

/** Reads an input; `errorOf` adds the error in the form of the operation. */
export function parse(
  schema: z.ZodType,
  input: unknown,
  errorOf?: ErrorOf,
): HandlerAnswer<unknown> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return { ok: true, output: parsed.data }
  const issues = parsed.error.issues.slice(0, 3).map(({ path, message }) => {
    const words = message.charAt(0).toLowerCase() + message.slice(1)
    return path.length === 0 ? words : `\`${path.map(String).join('.')}\`: ${words}`
  })
  const detail = issues.join('; ')
  const error = errorOf?.(parsed.error.issues, detail)
  const told = problem('REQUEST_INVALID', { detail })
  return failedAnswer(error === undefined ? told : { ...told, error })
}
