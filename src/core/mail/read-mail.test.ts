import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { readMail } from './read-mail.ts'

const letter = { from: 'a@b.test', to: 'c@d.test', subject: 'Hi', text: 'Hello' }
const read = (more: JsonObject) => readMail({ ...letter, ...more })
const attached = (content: string) => ({ attachments: [{ content }] })

// WHY a number of millions: what tries every way would take minutes.
const many = 3_000_000

test.each([
  ['an address of blanks', { to: `a${' '.repeat(many)}b` }],
  ['an address of tabs', { from: `${'\t'.repeat(many)}x` }],
  ['an attachment of empty lines', attached(`${'\n'.repeat(many)}!`)],
  ['an attachment that ends in lines', attached(`AA==${'\r\n'.repeat(many)}!`)],
])(
  '%s is refused in no time',
  (_, more) => {
    expect(read(more).ok).toBe(false)
  },
  5_000,
)

test.each(['', 'QUJD', 'QUI=', 'QUJD\r\nQUJD\r\n', 'QQ== \n'])('%j is base64', (content) => {
  expect(read(attached(content)).ok).toBe(true)
})

test.each(['QUI=x', 'Q U', '==='])('%j is no base64', (content) => {
  expect(read(attached(content)).ok).toBe(false)
})

test('of headers of their own only known marks are taken', () => {
  expect(read({ headers: { 'X-Entity-Ref-ID': '7', 'x-priority': '1' } }).ok).toBe(true)
  for (const name of ['X-Anything', 'X-SMTPAPI', 'X-Route-To', 'X-', 'X-Envelope-To']) {
    expect(read({ headers: { [name]: '7' } })).toMatchObject({ ok: false })
  }
})
