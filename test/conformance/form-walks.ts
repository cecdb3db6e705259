/** Claims about forms as data: steps, what is submitted, and what has to be true afterwards. */
import { expect } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { claimsOf } from './claim.ts'
import type { LooseJson } from './doors.ts'
import { type FormState, type Forms, formDoors } from './forms.ts'

export type FormWalk = {
  /** The row or sentence of the document. */
  readonly quote: string
  readonly check: string
  readonly differs?: string
  readonly steps: LooseJson
  /** Fields of the task beside its steps. */
  readonly more?: JsonObject
  readonly submits?: readonly JsonObject[]
  /** After the last submission; before any, after the start. */
  readonly after: Partial<{ readonly [K in keyof FormState]: unknown }>
}

const claim = claimsOf('step workflows')

/** Tests each walk at one of the doors, in turn. */
export function claimWalks(forms: Forms, section: string, walks: readonly FormWalk[]): void {
  for (const [index, walk] of walks.entries()) {
    const door = formDoors[index % formDoors.length] ?? 'rest'
    const { quote, differs } = walk
    const check = `${walk.check} (${door})`
    claim({ section, quote, check, ...(differs === undefined ? {} : { differs }) }, async () => {
      const form = await forms.open(door, walk.steps, walk.more)
      let state = form.first
      for (const fields of walk.submits ?? []) state = await form.submit(fields)
      const { vars, local, collected, ...rest } = walk.after
      expect(state).toMatchObject(rest)
      // Whole: a value that nobody wrote down would be a mistake, too.
      for (const [key, wanted] of Object.entries({ vars, local, collected })) {
        if (wanted !== undefined) expect(state).toHaveProperty(key, wanted)
      }
    })
  }
}
