import { expect, test } from 'vitest'
import { redact } from './redact.ts'

const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----'
const cases: readonly [what: string, text: string, clean: string][] = [
  ['a whole key', `a ${key} b`, 'a [redacted] b'],
  ['a key without its beginning', 'MIIB\n-----END PRIVATE KEY-----\nok', '[redacted]\nok'],
  ['a key without its end', 'ok\n-----BEGIN PRIVATE KEY-----\nMIIB', 'ok\n[redacted]'],
  ['a variable', 'MY_API_KEY=abcdef123 ok', 'MY_API_KEY=[redacted] ok'],
  ['a field', '{"authToken": "abcdef123"}', '{"authToken": "[redacted]"}'],
  ['a field in a text', '{\\"token\\":\\"abcdef123', '{\\"token\\":\\"[redacted]'],
  ['a header', 'Authorization: Basic YWxhZGRpbjpv', 'Authorization: Basic [redacted]'],
  ['an address', 'postgres://me:hunter2@db/x', 'postgres://me:[redacted]@db/x'],
  ['words about secrets', 'the token was refused', 'the token was refused'],
]

test.each(cases)('%s is told without its secret', (_, text, clean) => {
  expect(redact(text)).toBe(clean)
})

test('a value that was given as a secret is removed, a short word is not', () => {
  expect(redact('it is hunter2-x, ok', ['hunter2-x', 'ok'])).toBe('it is [redacted], ok')
})
