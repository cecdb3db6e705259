import { expect, test } from 'vitest'
import { matchItems, type PaletteItem } from './palette-items.ts'

const items: readonly PaletteItem[] = [
  { key: 'p1', kind: 'Page', name: 'Runs', about: '', href: '#/runs' },
  { key: 'r8f7b', kind: 'Run', name: 'Move payments', about: 'migration · copying', href: '#/1' },
  { key: 'r1234', kind: 'Run', name: 'The old move', about: 'ticket · fixing', href: '#/2' },
  { key: 'r9999', kind: 'Run', name: 'Remove carts', about: 'ticket · fixing', href: '#/3' },
  { key: 'd1', kind: 'Definition', name: 'migration', about: 'workflow', href: '#/4' },
]

test.each([
  ['', ['p1', 'r8f7b', 'r1234', 'r9999', 'd1']],
  ['move', ['r8f7b', 'r1234', 'r9999']],
  ['MOVE  pay', ['r8f7b']],
  ['migration', ['d1', 'r8f7b']],
  ['r8f7', ['r8f7b']],
  ['ticket move', ['r1234', 'r9999']],
  ['definition', ['d1']],
  ['nothing of it', []],
])('the palette finds by words, the closest name first: %s', (text, keys) => {
  expect(matchItems(items, text).map((one) => one.key)).toEqual(keys)
})

test('the palette shows a dozen at most', () => {
  const many = Array.from({ length: 500 }, (_, at) => ({ ...items[0], key: `k${at}` }))
  expect(matchItems(many as PaletteItem[], 'runs')).toHaveLength(12)
})
