import { expect, test } from 'vitest'
import { openEarlyKeys } from './early-keys.ts'

/** What the browser gives, as far as it is used. */
function type(place: EventTarget, key: string, more: object = {}): Event {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...more })
  place.dispatchEvent(event)
  return event
}

function open() {
  const place = new EventTarget()
  // WHY the cast: the listeners of a window know the type of their event.
  const keys = openEarlyKeys(place as unknown as Window)
  const elsewhere: string[] = []
  keys.begin()
  place.addEventListener('keydown', (event) => elsewhere.push((event as KeyboardEvent).key))
  return { place, keys, elsewhere }
}

test('what is typed early is kept, in order, and reaches nobody else', () => {
  const { place, keys, elsewhere } = open()
  for (const key of ['p', 'a', 'x', 'Backspace', 'y', 'Shift', 'Enter']) type(place, key)
  expect(elsewhere).toEqual([])
  expect(keys.take()).toBe('pay')
})

test('afterwards keys go where they always go', () => {
  const { place, keys, elsewhere } = open()
  expect(keys.take()).toBe('')
  expect(type(place, 'a').defaultPrevented).toBe(false)
  expect(elsewhere).toEqual(['a'])
  expect(keys.take()).toBe('')
})

test('a shortcut of the browser stays one', () => {
  const { place, keys, elsewhere } = open()
  type(place, 'r', { ctrlKey: true })
  expect(elsewhere).toEqual(['r'])
  expect(keys.take()).toBe('')
})
