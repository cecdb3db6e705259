import { expect, test } from 'vitest'
import { pinLaunch } from './launch-pin.ts'

test('the hash is of what is started, not of how it is written down', () => {
  const one = pinLaunch({ command: 'a', args: ['b'], env: { X: '1', Y: '2' } })
  const other = pinLaunch({ env: { Y: '2', X: '1' }, args: ['b'], command: 'a' })
  expect(other.hash).toBe(one.hash)
  expect(pinLaunch({ command: 'a', args: ['c'] }).hash).not.toBe(one.hash)
  expect(one.about).toBe('a b (with X, Y)')
})

test.each([
  ['npx', ['-y', 'pkg@latest'], false],
  ['npx', ['-y', 'pkg'], false],
  ['/usr/bin/npx', ['-y', '@scope/pkg'], false],
  ['npx.cmd', ['pkg@^1.2.3'], false],
  ['npx', ['-y', '@scope/pkg@1.2.3', '/work'], true],
  ['uvx', ['pkg==1.2.3'], true],
  ['uvx', ['--from', 'git+https://example.com/x', 'pkg'], false],
  ['docker', ['run', '-i', 'image:latest'], false],
  ['docker', ['run', `image@sha256:${'a'.repeat(64)}`], true],
  ['node', ['server.js'], true],
] as const)('%s %j has an exact version: %s', (command, args, isFixed) => {
  expect(pinLaunch({ command, args }).doubts.length === 0).toBe(isFixed)
})

test('what a server may ask is agreed to as well, and an entry without it keeps its hash', () => {
  const plain = pinLaunch({ command: 'a' })
  expect(pinLaunch({ command: 'a', sampling: 'refuse', elicitation: 'refuse' })).toEqual(plain)
  const asking = pinLaunch({ command: 'a', elicitation: 'pass' })
  expect(asking.hash).not.toBe(plain.hash)
  expect(asking.about).toBe('a (with questions to the person)')
  expect(pinLaunch({ command: 'a', sampling: 'pass' }).hash).not.toBe(asking.hash)
})
