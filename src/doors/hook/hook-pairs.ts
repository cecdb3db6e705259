/**
 * One call, one verdict: where several hooks are in force (those of a folder, those of its user,
 * those of another host that this one runs as well), a host asks more than once about the same
 * event. The questions after the first get the answer to it.
 * Knows questions by their names. Must not know what they ask.
 */
import type { HookAnswer } from './hook-protocol.ts'

/** Whose hook asks. A hook asks once about an event. */
export type HookScope = 'project' | 'user' | 'borrowed'

type PairedQuestion = {
  /** The same for all questions about one event. */
  readonly id: string
  readonly scope: HookScope
}

type PairedAnswer = {
  readonly word: HookAnswer
  /** Whether another hook was told it already. */
  readonly isSecond: boolean
}

export type HookPairs = (
  question: PairedQuestion,
  answer: () => Promise<HookAnswer>,
) => Promise<PairedAnswer>

type OpenQuestion = {
  /** Who has asked it so far. */
  readonly scopes: Set<HookScope>
  readonly word: Promise<HookAnswer>
  /** When it was answered; null: not yet. */
  answeredAt: number | null
}

/** How long after an answer another hook may come. */
const partnerMsMax = 5_000
/** Events, and questions about events of one name, that may be open. */
const eventsMax = 10_000
const sameMax = 64

/**
 * WHY not the first answer for all: some hosts do not name their calls, and the same call made
 * twice is two calls. A question is answered once for each scope.
 */
export function openHookPairs(now: () => number = () => performance.now()): HookPairs {
  const open = new Map<string, readonly OpenQuestion[]>()
  return async ({ id, scope }, answer) => {
    forgetOld(open, now())
    const known = open.get(id) ?? []
    const partner = known.find((one) => !isOver(one, now()) && !one.scopes.has(scope))
    if (partner !== undefined) {
      partner.scopes.add(scope)
      return { word: await partner.word, isSecond: true }
    }
    const mine: OpenQuestion = { scopes: new Set([scope]), word: answer(), answeredAt: null }
    // INVARIANT: events are in the order in which they were asked about last.
    open.delete(id)
    open.set(id, [...known, mine].slice(-sameMax))
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

/** Forgets events that nobody can ask about any more, and the oldest where there are too many. */
function forgetOld(open: Map<string, readonly OpenQuestion[]>, now: number): void {
  for (const [id, questions] of open) {
    const isOld = questions.every((one) => isOver(one, now))
    if (!isOld && open.size <= eventsMax) return
    open.delete(id)
  }
}
