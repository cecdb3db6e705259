/**
 * One call, one verdict: where the hooks of a folder and the hooks of its user are both in force, a
 * host asks twice about the same event. The second question gets the answer to the first.
 * Knows questions by their names. Must not know what they ask.
 */
import type { HookAnswer } from './hook-protocol.ts'

type HookScope = 'project' | 'user'

type PairedQuestion = {
  /** The same for both questions about one event. */
  readonly id: string
  readonly scope: HookScope
}

type PairedAnswer = {
  readonly word: HookAnswer
  /** Whether the other hook was told it already. */
  readonly isSecond: boolean
}

export type HookPairs = (
  question: PairedQuestion,
  answer: () => Promise<HookAnswer>,
) => Promise<PairedAnswer>

type OpenQuestion = {
  readonly scope: HookScope
  readonly word: Promise<HookAnswer>
  /** When it was answered; null: not yet. */
  answeredAt: number | null
}

/** How long after an answer the other hook may come. */
const partnerMsMax = 5_000
/** Events, and questions about events of one name, that may be open. */
const eventsMax = 10_000
const sameMax = 64

/**
 * WHY pairs and not the first answer for all: some hosts do not name their calls, and the same call
 * made twice is two calls. A hook pairs only with one of the other scope, once.
 */
export function openHookPairs(now: () => number = () => performance.now()): HookPairs {
  const open = new Map<string, OpenQuestion[]>()
  return async ({ id, scope }, answer) => {
    const known = (open.get(id) ?? []).filter((one) => !isOver(one, now()))
    const at = known.findIndex((one) => one.scope !== scope)
    const [partner] = at < 0 ? [] : known.splice(at, 1)
    if (partner !== undefined) {
      keep(open, id, known)
      return { word: await partner.word, isSecond: true }
    }
    const mine: OpenQuestion = { scope, word: answer(), answeredAt: null }
    keep(open, id, [...known, mine].slice(-sameMax))
    const settle = (): void => {
      mine.answeredAt = now()
    }
    // A fault is the caller's to see, and the other hook is told the same.
    await mine.word.then(settle, settle)
    return { word: await mine.word, isSecond: false }
  }
}

function isOver({ answeredAt }: OpenQuestion, now: number): boolean {
  return answeredAt !== null && now - answeredAt > partnerMsMax
}

function keep(
  open: Map<string, OpenQuestion[]>,
  id: string,
  questions: readonly OpenQuestion[],
): void {
  open.delete(id)
  if (questions.length > 0) open.set(id, [...questions])
  const [oldest] = open.keys()
  if (open.size > eventsMax && oldest !== undefined) open.delete(oldest)
}
