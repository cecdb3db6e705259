/** The child runs that a run waits for. Part of the frozen shapes of events. */
import type { JsonObject } from '../json.ts'
import type { ChildOutcome } from './command.ts'

export type Fork = {
  readonly branches: readonly ForkedBranch[]
  readonly join: 'all' | 'any'
  readonly onComplete: string
  readonly onFail: string | null
  /** Data of the forking signal: merged once the run has moved on. */
  readonly data: JsonObject | null
}
export type ForkedBranch = {
  readonly name: string
  readonly runId: string
  readonly initial: string
  readonly terminal: string
  readonly status: 'pending' | 'running' | ChildOutcome
}

export type Child = {
  readonly runId: string
  readonly machine: string
  readonly input: JsonObject
  readonly onComplete: string
  readonly onFail: string | null
  readonly data: JsonObject | null
}
