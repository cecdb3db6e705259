/**
 * What a new version of a definition permits that the old one did not, or the other way round.
 * The shape of such a change, and the comparisons that its parts share.
 */

/** `unclear`: it may loosen, and whoever publishes has to look. */
export type ChangeEffect = 'loosens' | 'tightens' | 'unclear'

export type PermissionChange = {
  readonly effect: ChangeEffect
  /** Null: it concerns the whole run. */
  readonly stage: string | null
  /** Lower case, without a full stop, names in backticks. */
  readonly text: string
}

/** Adds changes of one stage, or of the run. */
export type ChangeNotes = {
  readonly loosens: (text: string) => void
  readonly tightens: (text: string) => void
  readonly unclear: (text: string) => void
}

/** Notes that go to the end of a list. */
export function changeNotes(list: PermissionChange[], stage: string | null): ChangeNotes {
  const note = (effect: ChangeEffect) => (text: string) => {
    list.push({ effect, stage, text })
  }
  return { loosens: note('loosens'), tightens: note('tightens'), unclear: note('unclear') }
}

type LimitChange = { readonly what: string; readonly before: number | null | undefined }

/** A number that may not be exceeded; none means that there is no limit. */
export function compareLimit(
  notes: ChangeNotes,
  { what, before = null }: LimitChange,
  after: number | null = null,
): void {
  if (before === after) return
  if (after === null) notes.loosens(`no longer limits ${what} to ${before}`)
  else if (before === null) notes.tightens(`limits ${what} to ${after}`)
  else if (after > before) notes.loosens(`raises the limit of ${what} from ${before} to ${after}`)
  else notes.tightens(`lowers the limit of ${what} from ${before} to ${after}`)
}

type Names = readonly string[]
export type NameLists = { readonly before: Names; readonly after: Names }

/** What is in one of two lists and not in the other. */
export function listDifference({ before, after }: NameLists): {
  readonly added: Names
  readonly removed: Names
} {
  const [old, now] = [new Set(before), new Set(after)]
  return {
    added: [...now].filter((one) => !old.has(one)),
    removed: [...old].filter((one) => !now.has(one)),
  }
}

/** Names as a reader sees them: `a`, `b`. */
export function namesText(names: Names): string {
  return names.map((one) => `\`${one}\``).join(', ')
}

/** The same value, whatever the order of its fields and wherever it was written. */
export function valueKey(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'origin' || key === 'meter') return undefined
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
