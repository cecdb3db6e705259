/** The keys that work on every page. */
import { useEffect } from 'react'
import { goTo } from './route.ts'

type GlobalKeys = { readonly onPalette: () => void; readonly onHelp: () => void }

const pages: Readonly<Record<string, string>> = { h: 'home', r: 'runs', d: 'definitions' }
const secondKeyMs = 1_000

/** Ctrl-K, `?`, and G followed by the first letter of a page. */
export function useGlobalKeys({ onPalette, onHelp }: GlobalKeys): void {
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        onPalette()
        return
      }
      if (!isForPage(event)) return
      const isSecond = event.timeStamp - wentAt < secondKeyMs
      wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const page = isSecond ? pages[event.key] : undefined
      if (page !== undefined) {
        // WHY stopped: the same letter may mean something on the page at hand.
        event.stopImmediatePropagation()
        event.preventDefault()
        goTo(page)
      } else if (event.key === '?') onHelp()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [onPalette, onHelp])
}

/** Whether a key is for the page: not for the browser, nor a field, nor a dialog in front of it. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return false
  return document.querySelector('dialog[open]') === null
}

/** Fields that take no letters. */
const letterless = /^(checkbox|radio|button|submit|reset|image|file|range|color)$/

function isTyping({ target }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  if (element instanceof HTMLInputElement) return !letterless.test(element.type)
  return /^(TEXTAREA|SELECT)$/.test(element.tagName) || element.isContentEditable
}
