import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCharsMax, matchesFormat } from './json-schema-formats.ts'

test.each([
  ['date', ['2026-03-01', '2028-02-29', '2000-02-29', '0001-12-31']],
  ['time', ['14:30:00Z', '14:30:00.123+02:00', '23:59:60Z', '00:59:60+01:00', '14:30:00z']],
  ['time', ['14:30', '14:30:00', '00:00', '23:59:59.5', '14:30Z', '14:30+02:00']],
  ['date-time', ['2026-03-01T10:00:00Z', '2026-03-01t10:00:00.5-08:00']],
  ['email', ['ann@example.com', 'a.b+c@sub.example.co', 'a@localhost', "o'neil@example.com"]],
  ['uri', ['https://example.com/a', 'mailto:a@b.c', 'urn:isbn:0451450523', 'http://[::1]/?q=%20']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000']],
  ['ipv4', ['0.0.0.0', '255.255.255.255', '10.0.0.1']],
  ['hostname', ['example.com', 'a', 'a-b.c1', 'xn--bcher-kva.example']],
])('%s takes what has the format', (format, texts) => {
  for (const text of texts) expect(`${text} ${matchesFormat(format, text)}`).toBe(`${text} true`)
})

test.each([
  ['date', ['2026-02-30', '2027-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31']],
  ['date', ['tomorrow', '01.03.2026', '2026-3-1', '2026-03-01 ', '2026-03-01T10:00:00Z', '']],
  ['time', ['noon', '24:00:00Z', '14:60:00Z', '14:30:61Z', '14:30:00+24:00']],
  ['time', ['12:00:60Z', '23:59:60+01:00', '14:30:00.Z', '12:00:60']],
  [
    'time',
    ['25:00', '24:00', '14:60', '14', '2pm', '2:30', '14:3', '14:30.5', '14:30 ', '14:30+2'],
  ],
  ['date-time', ['2026-03-01', '2026-03-01 10:00:00Z', '2026-02-30T10:00:00Z', '2026-03-01T10:00']],
  ['date-time', ['2026-03-01T10:00:00', '2026-03-01T10:00Z']],
  ['email', ['ann', '@b.c', 'a@', 'a b@c.d', 'a..b@c.d', '.a@b.c', 'a@-b.c', 'a@b..c', 'a@b@c.d']],
  ['uri', ['my page', 'example.com', '/a/b', 'http://a b', 'http://a/%zz', 'x:', '1x:y', 'h://ü']],
  [
    'uuid',
    ['123e4567', '123e4567e89b12d3a456426614174000', 'g23e4567-e89b-12d3-a456-426614174000'],
  ],
  ['ipv4', ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 ', 'a.b.c.d']],
  ['hostname', ['', '-a', 'a-', 'a..b', 'a_b', 'a.', 'ü.de', 'a'.repeat(64)]],
])('%s refuses what has not', (format, texts) => {
  for (const text of texts) expect(`${text} ${matchesFormat(format, text)}`).toBe(`${text} false`)
})

test('a format that nobody knows is only a hint', () => {
  expect(matchesFormat('phone', '+39 06 1234')).toBeNull()
  expect(matchesFormat('constructor', 'x')).toBeNull()
  expect(matchesFormat('', '')).toBeNull()
})

test('a text that is too long has no format', () => {
  expect(matchesFormat('uri', `http://${'a'.repeat(formatCharsMax)}`)).toBe(false)
})

test('no text makes a format take long', () => {
  const part = fc.constantFrom('a', '.', '-', '@', '%', '1', ':', 'aaaa', '....', '0')
  const text = fc.array(part, { minLength: 500, maxLength: 2000 }).map((parts) => parts.join(''))
  const format = fc.constantFrom('date', 'time', 'date-time', 'email', 'uri', 'hostname', 'ipv4')
  fc.assert(fc.property(format, text, (one, other) => matchesFormat(one, other) !== null))
})
