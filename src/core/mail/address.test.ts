import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressText, bareText, isListed, readAddress } from './address.ts'

test.each([
  ['a@b.test', 'a@b.test'],
  [' a@b.test', 'a@b.test'],
  ['Ann <a@B.Test>', 'Ann <a@b.test>'],
  ['"Doe, Ann" <a.b+c@b.test>', '"Doe, Ann" <a.b+c@b.test>'],
  ['Ünï Bot <bot@acme.com>', 'Ünï Bot <bot@acme.com>'],
  ['<a@b.test>', 'a@b.test'],
  ['🤖 Bot <bot@acme.com>', '"🤖 Bot" <bot@acme.com>'],
])('%s is an address', (text, made) => {
  const address = readAddress(text)
  expect(address && addressText(address)).toBe(made)
})

test.each([
  ['two addresses', 'a@b.test, c@d.test'],
  ['a group', 'friends: a@b.test;'],
  ['a comment', 'a@b.test(x)evil.test'],
  ['an address as a name', 'a@b.test <c@d.test>'],
  ['an address as a quoted name', '"a@b.test" <c@d.test>'],
  ['a quoted local part', '"evil@x.test,"@b.test'],
  ['a route', 'x.test!evil@b.test'],
  ['another route', 'evil%x.test@b.test'],
  ['a source route', '<@x.test:a@b.test>'],
  ['a dot at the end', 'a@b.test.'],
  ['two dots', 'a..b@b.test'],
  ['a letter that is not seen', 'a@b.test\u200b'],
  ['another alphabet', 'a@b.\u0430cme.com'],
  ['an address literal', 'a@[127.0.0.1]'],
  ['a line', 'a@b.test\nBcc: c@d.test'],
  ['a word in another encoding', '=?utf-8?q?a?= <a@b.test>'],
  ['something behind it', '<a@b.test> c@d.test'],
  ['nothing', ''],
  ['no domain', 'a@'],
  ['two ats', 'a@b@c.test'],
])('%s is none: %s', (_, text) => {
  expect(readAddress(text)).toBeNull()
})

test('what is made of an address is read as the same address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.emailAddress(), (name, bare) => {
      const address = readAddress(`${name} <${bare}>`)
      if (address === null) return
      expect(readAddress(addressText(address))).toEqual({ ...address, name: address.name })
      expect(bareText(address).toLowerCase()).toBe(bare.toLowerCase())
    }),
  )
})

test.each([
  ['a@b.test', true],
  ['A@B.TEST', true],
  ['b.test', true],
  ['@b.test', true],
  ['*@b.test', true],
  ['a*@b.test', true],
  ['*', true],
  ['*@*.test', true],
  ['*.b.test', false],
  ['test', false],
  ['x*@b.test', false],
  ['a@b.tes', false],
  ['*@ab.test', false],
  ['', false],
])('the entry %s means a@b.test: %s', (entry, is) => {
  expect(isListed(entry, { name: '', local: 'a', domain: 'b.test' })).toBe(is)
})
