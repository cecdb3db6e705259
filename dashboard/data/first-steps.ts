/** What somebody has seen of Pawl by now: told by the log of their first runs. */
import type { LogRecord } from './run-log.ts'

export type FirstSteps = {
  /** A call was denied. */
  readonly blocked: boolean
  /** The run went from one stage to another. */
  readonly moved: boolean
  /** A person has decided. */
  readonly decided: boolean
}

/** The steps that a log shows. */
export function firstStepsIn(records: readonly Pick<LogRecord, 'type'>[]): FirstSteps {
  const count = (type: string): number => records.filter((one) => one.type === type).length
  return {
    blocked: count('call.denied') > 0,
    moved: count('stage.entered') > 1,
    decided: count('approval.granted') + count('approval.refused') > 0,
  }
}
