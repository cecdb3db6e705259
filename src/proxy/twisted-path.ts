/** Paths that the proxy forwards to nobody: what two readers could take for two paths is none. */

/** Whether some server could take a path for another one: it decodes, cuts and follows dots. */
export function isTwisted(target: string): boolean {
  const [path = ''] = target.split('?')
  if (path.includes('//') || /%(?:2e|2f|5c|00|25)/i.test(path) || path.includes('\\')) return true
  let decoded: string
  try {
    decoded = decodeURIComponent(path).normalize('NFKC')
  } catch {
    // Bytes that are no text.
    return true
  }
  // WHY before a `;` too: some servers cut parameters off a part, and then follow its dots.
  const isDots = (part: string): boolean => /^\.{1,2}$/.test((part.split(';')[0] ?? '').trim())
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return decoded.split(/[/\\]/).some(isDots) || /[\u0000-\u001f\u007f]/.test(decoded)
}
