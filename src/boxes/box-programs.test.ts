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

const ran = (total: number, ...programs: { path: string; count: number }[]): BoxAnswer => ({
  kind: 'ran',
  total,
  programs,
})

test('calls that overlap are told that they may have started the same', async () => {
  const { look } = lookAt(ran(0), ran(0), ran(2, git), ran(2, git), ran(2), ran(4, git))
  await look.beginPrograms('a')
  await look.beginPrograms('b')
  expect(await look.endPrograms('a')).toEqual({ programs: [git], isShared: true })
  expect(await look.endPrograms('b')).toEqual({ programs: [git], isShared: true })
  await look.beginPrograms('c')
  expect(await look.endPrograms('c')).toEqual({ programs: [git] })
})

test('the client of hooks is left out, and secrets in names are not kept', async () => {
  const hook = { path: '/run/pawl/bin/pawl-hook', count: 1 }
  const named = { path: './token=abcdefgh', count: 1 }
  const { look } = lookAt(ran(0), ran(2, hook, named), ran(2), ran(3, hook))
  await look.beginPrograms('a')
  expect(await look.endPrograms('a')).toEqual({
    programs: [{ path: './token=[redacted]', count: 1 }],
  })
  await look.beginPrograms('b')
  expect(await look.endPrograms('b')).toBeNull()
})

test('what a call started is told also if more calls are open than are noted', async () => {
  const begun = Array.from({ length: 202 }, (_, i) => ran(i))
  const { asked, look } = lookAt(ran(3), ...begun, ran(250, git))
  await look.beginPrograms('a')
  for (const i of begun.keys()) await look.beginPrograms(`b${i}`)
  expect(await look.endPrograms('a')).toEqual({ programs: [git], more: 245, isShared: true })
  expect(asked.at(-1)).toEqual(['programs', '3'])
})
