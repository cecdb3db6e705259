/**
 * Keys that are typed into something that is still being loaded. They are kept for it, and kept
 * away from everything else: an `a` meant for a search must not approve anything.
 */

export type EarlyKeys = {
  /** Begins to keep the keys; does nothing while it does so already. */
  readonly begin: () => void
  /** What was typed since; from now on keys go where they always go. */
  readonly take: () => string
}

const textMax = 200

/** The keys that arrive at this place. */
export function openEarlyKeys(
  place: Pick<Window, 'addEventListener' | 'removeEventListener'>,
): EarlyKeys {
  let text = ''
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopImmediatePropagation()
    text = textAfter(text, event.key).slice(0, textMax)
  }
  return {
    begin: () => place.addEventListener('keydown', onKey, { capture: true }),
    take: () => {
      place.removeEventListener('keydown', onKey, { capture: true })
      const typed = text
      text = ''
      return typed
    },
  }
}

/** Keys with a longer name (`Enter`, `Tab`) have nothing to act on yet. */
function textAfter(text: string, key: string): string {
  if (key === 'Backspace') return text.slice(0, -1)
  return [...key].length === 1 ? text + key : text
}
