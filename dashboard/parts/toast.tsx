/** A short notice about the last action. */
import { openValueStore, useValueStore } from '../data/value-store.ts'
import { MessageText } from './message-text.tsx'

const shownMs = 6_000
const words = openValueStore<string>('')
let timer: ReturnType<typeof setTimeout> | undefined

/** Says it for some seconds. */
export function showToast(text: string): void {
  words.set(() => text)
  clearTimeout(timer)
  timer = setTimeout(() => words.set(() => ''), shownMs)
}

/** Where it is said; also to those who do not see it. */
export function Toast() {
  const text = useValueStore(words)
  return (
    <div role="status" aria-live="polite">
      {text === '' ? null : (
        <div className="toast appear">
          <MessageText text={text} />
        </div>
      )}
    </div>
  )
}
