import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alternativesOf, insideOf, pathProblem } from './paths.ts'

const workspace = '/srv/proj'

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src/../src/a.ts', 'src/a.ts'],
  ['/srv/proj/src/a.ts', 'src/a.ts'],
  ['/srv/proj', '.'],
  ['/srv/proj/', '.'],
  ['/srv/../srv/proj/x', 'x'],
  ['..foo/a.ts', '..foo/a.ts'],
  ['src/.../a.ts', 'src/.../a.ts'],
  ['src/new/deep/file.ts', 'src/new/deep/file.ts'],
  ['~draft.txt', '~draft.txt'],
  ['src/~/a', 'src/~/a'],
  ['app/routes/$userId.tsx', 'app/routes/$userId.tsx'],
  ['$userId.tsx', '$userId.tsx'],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
  ['a b/c d.txt', 'a b/c d.txt'],
  ['100%.txt', '100%.txt'],
  ['a%20b.txt', 'a%20b.txt'],
  ['naïve/日本語.md', 'naïve/日本語.md'],
  ['a\\b.txt', 'a\\b.txt'],
  ['a:b.txt', 'a:b.txt'],
  ['file:///srv/proj/a.ts', 'a.ts'],
] as const)('%j is inside as %j', (path, inside) => {
  expect(insideOf(path, { workspace })).toBe(inside)
})

test.each([
  ...['..', '../secret', '/srv/proj/../secret', 'a/../../x', '/etc/passwd', '/', '/srv'],
  ...['/srv/project/x', '/srv/proj2', '/srv/proj-evil/x', '/SRV/proj/x', '/srv/Proj/x'],
  ...['~', '~/x', '~root/x', '~+/x', '$HOME/x', '$' + '{HOME}/x', '$HOME', '%USERPROFILE%\\x'],
  ...['$(pwd)/x', '`pwd`/x', 'C:\\Windows\\x', 'c:/x', '\\\\server\\share', '//server/share'],
  ...['/dev/fd/3', '/proc/self/environ', 'a\0/../../etc/passwd', 'file:///etc/passwd'],
  ...['http://x.com/a', '..\\..\\secret', 'src\\..\\..\\x', '%2e%2e/secret', '..%2fsecret'],
  ...['..%5c..%5cx', '．．/secret', '․․/secret', '.\u200b./secret', ' ../x', '../ x', ''],
  ...['~/../srv/proj/x', '$HOME/../../srv/proj/x', 'a\\b%2f..%2f..%2f..', 'a%00/../../x'],
  '\ud800',
])('%j may leave the workspace', (path) => {
  expect(insideOf(path, { workspace })).toBe(null)
})

test('a path that is too long is nowhere', () => {
  expect(insideOf(`${'a/'.repeat(2000)}x`, { workspace })).not.toBe(null)
  expect(insideOf(`${'a/'.repeat(3000)}x`, { workspace })).toBe(null)
})

test('devices are no files of a workspace that is the whole disk', () => {
  expect(insideOf('/dev/sda', { workspace: '/' })).toBe(null)
  expect(insideOf('/srv/a', { workspace: '/' })).toBe('srv/a')
})

test('a directory of the call is where its paths begin', () => {
  expect(insideOf('a.ts', { workspace, cwd: 'src' })).toBe('src/a.ts')
  expect(insideOf('../a.ts', { workspace, cwd: 'src' })).toBe('a.ts')
  expect(insideOf('a.ts', { workspace, cwd: '/etc' })).toBe(null)
  expect(insideOf('a.ts', { workspace, cwd: '~' })).toBe(null)
})

test('a workspace on a drive knows both separators', () => {
  const drive = { workspace: 'C:\\proj' }
  expect(insideOf('C:\\proj\\src\\a.ts', drive)).toBe('src/a.ts')
  expect(insideOf('c:/proj/src/a.ts', drive)).toBe('src/a.ts')
  expect(insideOf('src\\a.ts', drive)).toBe('src/a.ts')
  expect(insideOf('D:\\proj\\a', drive)).toBe(null)
  expect(insideOf('..\\a', drive)).toBe(null)
})

test('braces stand for several texts, within a limit', () => {
  expect(alternativesOf('{a,b}/{c,d}')).toEqual(['a/c', 'a/d', 'b/c', 'b/d'])
  expect(alternativesOf('{..,src}/*')).toEqual(['../*', 'src/*'])
  expect(alternativesOf('{a}')).toEqual(['{a}'])
  expect(alternativesOf('{a,b}'.repeat(40)).length).toBeLessThanOrEqual(64)
})

test('what is inside has no step upwards, whatever the path is', () => {
  const part = fc.constantFrom('..', '.', 'a', '/', '\\', '~', '$HOME', '%2e', ' ', '．', '\u200b')
  const path = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(path, (text) => {
      const inside = insideOf(text, { workspace })
      if (inside === null) return
      expect(pathProblem(text)).toBe(null)
      expect(inside.split('/')).not.toContain('..')
      expect(inside.startsWith('/')).toBe(false)
    }),
  )
})
