/**
 * Removes a credential from a response, in its common spellings: plain, URL-encoded, and in base64
 * at any offset.
 */

/** Letters of a part of base64 below which it would be found everywhere. */
const partCharsMin = 8

/** Every writing of some secret texts, the longest first: a shorter one may be part of it. */
export function credentialFormsOf(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret)
    const encodings = ['base64', 'base64url'] as const
    const based = encodings.flatMap((one) => [bytes.toString(one), ...partsOf(bytes, one)])
    return [bytes.toString('latin1'), encodeURIComponent(secret), ...based]
  })
  return [...new Set(all)].filter((one) => one !== '').toSorted((a, b) => b.length - a.length)
}

/** The letters that stand for it alone, when it begins at the first, second or third byte. */
function partsOf(bytes: Buffer, encoding: 'base64' | 'base64url'): readonly string[] {
  return [0, 1, 2]
    .map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
      const begin = Math.ceil((before * 8) / 6)
      return text.slice(begin, Math.floor(((before + bytes.length) * 8) / 6))
    })
    .filter((part) => part.length >= partCharsMin)
}

/** A text without them. */
export function stripCredential(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => left.replaceAll(form, '[secret]'), text)
}
