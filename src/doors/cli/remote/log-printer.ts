/**
 * A log for a terminal, record after record. What models cost is told once for each stage: a real
 * session reports it hundreds of times.
 */
import type { Event } from '../../../core/engine/types.ts'
import { addMicroUsd, usdText } from '../../../core/money.ts'
import { counted } from '../ansi.ts'
import type { Io } from '../io.ts'
import type { StyledSpan } from '../play/styled-text.ts'
import { eventText, remarkText, type ShownRecord } from './show-event.ts'

type Wish = {
  readonly io: Io
  /** Whether each report of a cost is a line of its own. */
  readonly hasCosts: boolean
  /** What stands in front of each record; absent: nothing. */
  readonly whose?: readonly StyledSpan[]
}

export type LogPrinter = {
  /** The lines of the next record; empty: it is told later. */
  readonly next: (record: ShownRecord) => string
  /** What was not told yet. */
  readonly end: () => string
}

/** Begins at the first record that is shown. */
export function openLogPrinter({ io, hasCosts, whose = [] }: Wish): LogPrinter {
  let stage = 'the run'
  let sum = { microUsd: 0, count: 0 }
  const end = (): string => {
    const { microUsd, count } = sum
    sum = { microUsd: 0, count: 0 }
    if (count === 0) return ''
    return remarkText(`${stage} cost ${usdText(microUsd)} in ${counted(count, 'report')}`, io)
  }
  return {
    next: (record) => {
      if (hasCosts) return eventText(record, whose, io)
      // WHY the cast: the daemon's own records.
      const event = record.data as unknown as Event
      if (event.type === 'money.spent') {
        const microUsd = addMicroUsd(sum.microUsd, event.costMicroUsd)
        sum = { microUsd, count: sum.count + 1 }
        return ''
      }
      if (event.type !== 'stage.entered') return eventText(record, whose, io)
      const before = end()
      stage = event.stage
      return before + eventText(record, whose, io)
    },
    end,
  }
}
