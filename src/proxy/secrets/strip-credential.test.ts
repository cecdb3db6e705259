import { expect, test } from 'vitest'
import { credentialFormsOf, stripCredential } from './strip-credential.ts'

const secret = 'ghp_real+secret/value='
const header = `Bearer ${secret}`
const forms = credentialFormsOf([secret, header])

test.each(['', 'x', 'xy', 'xyz', 'user:'])('base64 of it behind `%s` is taken out', (before) => {
  for (const after of ['', '1', '12']) {
    const bytes = Buffer.from(`${before}${secret}${after}`)
    for (const encoding of ['base64', 'base64url'] as const) {
      const clean = stripCredential(`said ${bytes.toString(encoding)}!`, forms)
      expect(clean).toContain('[secret]')
      const left = clean.slice(5, -1).replace('[secret]', '')
      // At most the letters that it shares with its neighbours are left.
      expect(left.length).toBeLessThanOrEqual(before.length * 2 + 7)
    }
  }
})

test('the whole header in base64 leaves nothing', () => {
  expect(stripCredential(Buffer.from(header).toString('base64'), forms)).toBe('[secret]')
})
