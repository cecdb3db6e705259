import { expect, test } from 'vitest'
import type { BoxAnswer } from './box-control.ts'
import { openProgramsLook } from './box-programs.ts'

function lookAt(...answers: readonly BoxAnswer[]) {
  const left = [...answers]
  const asked: (readonly string[])[] = []
  const control = {
    ask: async (words: readonly string[]): Promise<BoxAnswer> => {
      asked.push(words)
      return left.shift() ?? { kind: 'fault', why: 'the box has ended' }
    },
    close: () => undefined,
  }
  return { asked, look: openProgramsLook(() => control) }
}

const git = { path: '/usr/bin/git', count: 2 }

test('a call has what started after its beginning', async () => {
  const { asked, look } = lookAt(
    { kind: 'ran', total: 5, programs: [] },
    { kind: 'ran', total: 9, programs: [git] },
  )
  await look.beginPrograms('a')
  expect(await look.endPrograms('a')).toEqual({ programs: [git], more: 2 })
  expect(asked[1]).toEqual(['programs', '5'])
})

test('nothing is said of a call of which nobody knows', async () => {
  const { look } = lookAt({ kind: 'ran', total: 5, programs: [] })
  expect(await look.endPrograms('a')).toBeNull()
  await look.beginPrograms('a')
  expect(await look.endPrograms('a')).toBeNull()
  expect(await look.endPrograms('a')).toBeNull()
})

test('a call that started nothing has no programs', async () => {
  const { look } = lookAt(
    { kind: 'ran', total: 5, programs: [] },
    { kind: 'ran', total: 5, programs: [] },
  )
  await look.beginPrograms('a')
  expect(await look.endPrograms('a')).toBeNull()
})
