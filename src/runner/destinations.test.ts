import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import {
  findDestination,
  isDestinationInside,
  narrow,
  readPattern,
  readTarget,
} from './destinations.ts'

const list = [
  { host: 'registry.npmjs.org', ports: [443] },
  { host: '*.example.org', ports: [443, 8443] },
  { host: '10.1.2.3', ports: [5432] },
]

test.for([
  ['registry.npmjs.org:443', true],
  ['REGISTRY.npmjs.org.:443', true],
  ['registry.npmjs.org:80', false],
  ['evil-registry.npmjs.org:443', false],
  ['registry.npmjs.org.evil.net:443', false],
  ['a.example.org:8443', true],
  ['a.b.example.org:443', true],
  ['example.org:443', false],
  ['evilexample.org:443', false],
  ['10.1.2.3:5432', true],
  ['10.1.2.4:5432', false],
] as const)('of a list, `%s` is allowed: %s', ([text, isAllowed]) => {
  const target = readTarget(text, null)
  expect(target !== null && findDestination(list, target) !== null).toBe(isAllowed)
})

test.for([
  ...['', 'a', ':443', 'a:0', 'a:65536', 'a:443:443', 'a b:443', 'a/b:443', 'u@a:443', '*.a.org:1'],
  ...['a\r\nb:443', 'a\0:443', '[::1:443', '::1:443', `${'a'.repeat(64)}:1`, '-a:1', 'a..b:1'],
])('`%s` is no place to connect to', (text) => {
  expect(readTarget(text, null)).toBeNull()
})

test('one address has one spelling', () => {
  expect(readTarget('[0:0:0:0:0:0:0:1]:443', null)).toEqual({ host: '::1', port: 443 })
  expect(readPattern('2001:DB8:0::1')).toBe('2001:db8::1')
})

test.for(['*', '*.', '*.org', '*.10.0.0.1', 'a.*.org', 'http://a.org', 'a.org:443', ''])(
  '`%s` is no entry of a list',
  (text) => {
    expect(readPattern(text)).toBeNull()
  },
)

test('a call narrows what is allowed and never widens it', () => {
  expect(narrow(list, ['a.example.org'])).toEqual([{ host: 'a.example.org', ports: [443, 8443] }])
  expect(narrow(list, ['*.b.example.org:443'])).toEqual([{ host: '*.b.example.org', ports: [443] }])
  expect(narrow(list, ['10.1.2.3:5432', 'x.org'])).toBe('x.org')
  const wider = ['*.org', '*.npmjs.org', 'example.org', 'registry.npmjs.org:80', '10.1.2.3:443', '']
  for (const one of wider) expect(narrow(list, [one])).toBe(one)
  expect(narrow('all', ['x.org', '[::1]:80'])).toEqual([
    { host: 'x.org', ports: [443] },
    { host: '::1', ports: [80] },
  ])
  expect(narrow(list, [])).toEqual([])
})

test.for([
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1'],
  ...['169.254.169.254', '168.63.129.16', '224.0.0.1', '255.255.255.255', '::1', '::', '::7f00:1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::a00:1', 'fe80::1', 'fe80::1%eth0', 'fd00::1'],
  ...['fd00:ec2::254', 'ff02::1', '2002:7f00:1::', 'no address'],
])('`%s` is near to this machine', (address) => {
  expect(isDestinationInside(address)).toBe(true)
})

test('other addresses are not near, but every one of this machine is', () => {
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111']) {
    expect(isDestinationInside(address)).toBe(false)
  }
  for (const one of Object.values(networkInterfaces()).flat()) {
    if (one !== undefined) expect(isDestinationInside(one.address)).toBe(true)
  }
})
