/** Paths that two servers could read in two ways; see `isTwisted`. */
import { expect, test } from 'vitest'
import { isTwisted } from './twisted-path.ts'

const twisted = [
  ...['/a/../b', '/a/..', '/./a', '/a/..;/b', '/a/..;x=1/b', '/a/.;/b', '/a/..%3b/b', '/a//b'],
  ...['/a/%2e%2e/b', '/a/.%2E/b', '/a%2fb', '/a%5c..%5cb', '/a/..%20/b', '/a/%20../b', '/a%00'],
  ...['/a/%252e%252e/b', '/a/%c0%ae%c0%ae/b', '/a/%ef%bc%8e%ef%bc%8e/b', '/a%0d%0ax', '/a/%e2%80'],
  ...['/a/..%09/b', '/a/%EF%BC%8E./b', '/a%EF%BC%8Fb/../c', '/a/..%EF%BC%8Fb'],
]
test.each(twisted)('%s is no path', (path) => expect(isTwisted(path)).toBe(true))

const plain = ['/', '/a/b', '/a/..b', '/a/b..', '/a/...', '/a;x=1/b', '/caf%C3%A9', '/a%20b']
test.each([...plain, '/a?x=../..', '/.well-known/x'])('%s is a path', (path) =>
  expect(isTwisted(path)).toBe(false),
)
