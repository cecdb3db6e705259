import { expect, test } from 'vitest'
import { deniedPrograms, ranProgramsText } from './ran-programs.ts'

const programs = [
  { path: '/usr/bin/git', count: 2 },
  { path: '/usr/local/bin/git', count: 1 },
  { path: './build', count: 1 },
  { path: '/usr/bin/curl', count: 2, isDenied: true },
] as const

test('programs are named without their folder, with how often they started', () => {
  expect(ranProgramsText({ programs })).toBe('git ×3, build, curl (denied) ×2')
  expect(ranProgramsText({ programs: [], more: 7 })).toBe('7 more')
})

test('a long list is cut, and what is left out is counted', () => {
  const many = Array.from({ length: 15 }, (_, i) => ({ path: `/bin/p${i}`, count: 2 }))
  expect(ranProgramsText({ programs: many, more: 1 })).toMatch(/^p0 ×2, .*p11 ×2, 7 more$/)
})

test('what may be of another call is said to be', () => {
  const ran = { programs: [{ path: '/bin/ls', count: 1 }], isShared: true } as const
  expect(ranProgramsText(ran)).toBe('ls (during this call and others)')
})

test('what was denied is told apart from what ran', () => {
  expect(deniedPrograms({ programs })).toEqual(['curl'])
})
