/**
 * Drafts: what somebody typed and has not published, kept in this browser until they publish or
 * discard it. Leaving the page, reloading it and closing it lose nothing.
 */
import { useState } from 'react'

type KeptDraft = {
  readonly text: string
  /** The published text that it began with. */
  readonly base: string
  readonly at: number
}

export type Draft = {
  readonly text: string
  readonly setText: (text: string) => void
  /** When the text was typed that was found here; null: nothing was found. */
  readonly restoredAt: number | null
  /** Whether something else was published since. */
  readonly isStale: boolean
  /** Whether the browser refuses to keep it. */
  readonly isUnkept: boolean
  /** The published text again. */
  readonly discard: () => void
  /** It was published: from now on this is the text to begin with. */
  readonly settle: (source: string) => void
}

const prefix = 'pawl-draft '

/** The draft under a name, which begins as the source. */
export function useDraft(name: string, source: string): Draft {
  const [found] = useState(() => keptDraft(name, source))
  const [base, setBase] = useState(source)
  const [text, setTextState] = useState(found?.text ?? source)
  const [restored, setRestored] = useState(found)
  const [isUnkept, setUnkept] = useState(false)
  const setText = (next: string): void => {
    setTextState(next)
    setUnkept(!keepDraft(name, next === base ? null : { text: next, base, at: Date.now() }))
  }
  const settle = (next: string): void => {
    keepDraft(name, null)
    setBase(next)
    setRestored(null)
    setUnkept(false)
  }
  const discard = (): void => {
    settle(base)
    setTextState(base)
  }
  const isStale = restored !== null && restored.base !== source
  return { text, setText, restoredAt: restored?.at ?? null, isStale, isUnkept, discard, settle }
}

/** What was kept under a name; null: nothing, or nothing else than the source. */
export function keptDraft(name: string, source: string | null): KeptDraft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(prefix + name) ?? 'null') as Partial<KeptDraft>
    const { text, base, at } = kept ?? {}
    if (typeof text !== 'string' || typeof base !== 'string' || typeof at !== 'number') return null
    return text === source ? null : { text, base, at }
  } catch {
    // The browser keeps nothing, or somebody else wrote there.
    return null
  }
}

/** Keeps a draft, or forgets it; false: the browser does not keep it. */
function keepDraft(name: string, draft: KeptDraft | null): boolean {
  try {
    if (draft === null) localStorage.removeItem(prefix + name)
    else localStorage.setItem(prefix + name, JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}
