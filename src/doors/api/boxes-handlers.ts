/** Handlers of the operations on sessions in boxes. */
import type { boxesOperations } from './boxes-operations.ts'
import { done, failedAnswer, type HandlersOf } from './handler-context.ts'
import { problem } from './problem.ts'

export const boxesHandlers: HandlersOf<keyof typeof boxesOperations> = {
  'boxes.open': async ({ boxes, runtime }, input) => {
    if (boxes === null) return failedAnswer(noBoxes)
    // Fault `RUN_UNKNOWN`.
    await runtime.readRun(input.runId, null)
    const opened = await boxes.open(input)
    return done({ ...opened, words: [...opened.words], notes: [...opened.notes] })
  },
  'boxes.list': async ({ boxes }) =>
    done({ boxes: boxes === null ? [] : boxes.list().map((one) => ({ ...one })) }),
}

const noBoxes = problem('REQUEST_INVALID', { detail: 'this daemon has no boxes' })
