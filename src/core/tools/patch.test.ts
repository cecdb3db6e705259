import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patchesIn, readDiff, readPatch } from './patch.ts'

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

test('a patch tells its files and lines', () => {
  const text = patch(
    '*** Add File: src/new.ts',
    '+one',
    '+two',
    '*** Update File: src/old.ts',
    '@@ function a',
    ' same',
    '-gone',
    '-gone too',
    '-and this',
    '+here',
    '@@',
    '+more',
    '*** End of File',
  )
  expect(readPatch(text)).toEqual({
    ok: true,
    paths: ['src/new.ts', 'src/old.ts'],
    lines: 2 + 2 + 1,
  })
})

test('a move changes both names', () => {
  const text = patch('*** Update File: a.ts', '*** Move to: b.ts', '@@', '-x', '+y')
  expect(readPatch(text)).toEqual({ ok: true, paths: ['a.ts', 'b.ts'], lines: 1 })
})

test('a removed file has a size that nobody knows', () => {
  expect(readPatch(patch('*** Delete File: a.ts'))).toEqual({
    ok: true,
    paths: ['a.ts'],
    lines: null,
  })
})

test('a header behind blanks still counts, as it does for who applies the patch', () => {
  const text = patch('*** Add File: a', '+x', '   *** Add File: .claude/settings.json', '+{}')
  expect(readPatch(text)).toMatchObject({ paths: ['a', '.claude/settings.json'] })
})

test('a line that looks like a header inside of a change is text', () => {
  const text = patch('*** Update File: a.md', '@@', '+*** Add File: b', ' *** Delete File: c')
  expect(readPatch(text)).toEqual({ ok: true, paths: ['a.md'], lines: 1 })
})

test.each([
  ['no beginning', '*** Add File: a\n+x\n*** End Patch'],
  ['no end', '*** Begin Patch\n*** Add File: a\n+x'],
  ['no file', patch()],
  ['no name', patch('*** Add File: ')],
  ['a stray line', patch('*** Add File: a', '+x', 'stray')],
  ['a stray line in a change', patch('*** Update File: a', '@@', 'stray')],
  ['a text before any file', patch('+x')],
  ['an unknown header', patch('*** Rename File: a')],
])('a patch with %s is a problem', (_, text) => {
  expect(readPatch(text).ok).toBe(false)
})

test('patches are found in the text of a command', () => {
  const one = patch('*** Add File: a', '+x')
  expect(patchesIn(`apply_patch <<'EOF'\n${one}\nEOF`)).toEqual([one])
  expect(patchesIn(`apply_patch "${one}"`)).toEqual([one])
  expect(patchesIn('apply_patch < p.txt')).toEqual([])
})

test('a text of nothing but beginnings is read in no time', () => {
  patchesIn('*** Begin Patch\n'.repeat(60_000))
})

test('a unified diff tells its files and lines', () => {
  const text = [
    'diff --git a/src/a.ts b/src/a.ts',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -1,3 +1,2 @@ here',
    ' same',
    '--- looks like a header',
    '-gone',
    '+new',
    '--- /dev/null',
    '+++ b/new.txt\t2026-01-01',
    '@@ -0,0 +1 @@',
    '+x',
    'rename from old name.ts',
    'rename to c.ts',
    '',
  ].join('\n')
  const paths = ['src/a.ts', 'new.txt', 'old name.ts', 'c.ts']
  expect(readDiff(text)).toEqual({ ok: true, paths, lines: 2 })
})

test('a damaged diff is a problem', () => {
  expect(readDiff('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same').ok).toBe(false)
  expect(readDiff('--- a/x\n+++ b/x\n@@ -1 +1 @@\nstray').ok).toBe(false)
  expect(readDiff('just text').ok).toBe(false)
})

test('no text makes them throw', () => {
  const line = fc.constantFrom(
    ...[
      '*** Begin Patch',
      '*** End Patch',
      '*** Add File: a',
      '*** Update File: b',
      '+x',
      '-y',
      ' z',
    ],
    ...['@@', '@@ -1 +1 @@', '--- a/x', '+++ b/x', '*** Move to: c', '', '\r', '\ud800'],
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string({ unit: 'binary' }))), (texts) => {
      const text = texts.join('\n')
      readPatch(text)
      readDiff(text)
      patchesIn(text)
    }),
  )
})
