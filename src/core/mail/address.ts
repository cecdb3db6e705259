/**
 * Mail addresses, parsed strictly: what a simple grammar does not accept is not an address.
 * Servers read the corners of RFC 5322 differently, and every difference is a way past a list.
 */

export type Address = {
  /** Shown beside it; empty: none. */
  readonly name: string
  readonly local: string
  readonly domain: string
}

const localCharsMax = 64
const domainCharsMax = 253
const nameCharsMax = 200
/** Letters of an address with its name; whatever is above is not looked at. */
const addressCharsMax = 600

/** WHY no quotes, `!` and `%`: they were routes once, and some servers still follow them. */
const localForm = /^[A-Za-z0-9_+=~'-]+(?:\.[A-Za-z0-9_+=~'-]+)*$/
const domainForm =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]$/
/** Letters, numbers and what stands in names; nothing that a parser could take for more. */
const nameForm = /^[\p{L}\p{M}\p{N}\p{Zs}\p{Extended_Pictographic}.'’&+/!|#*_–-]*$/u

/** The address in a text: by itself or as `Name <address>`; null: it cannot be read. */
export function readAddress(text: string): Address | null {
  if (text.length > addressCharsMax) return null
  const trimmed = withoutBlanks(text)
  const open = trimmed.indexOf('<')
  if (open < 0) return readBare(trimmed, '')
  if (!trimmed.endsWith('>')) return null
  const name = readName(trimmed.slice(0, open))
  return name === null ? null : readBare(trimmed.slice(open + 1, -1), name)
}

/** WHY by hand: a pattern for blanks at the end is tried at every blank of a long text. */
function withoutBlanks(text: string): string {
  let [begin, end] = [0, text.length]
  while (text[begin] === ' ' || text[begin] === '\t') begin += 1
  while (end > begin && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(begin, end)
}

function readName(text: string): string | null {
  const trimmed = text.trim()
  const quoted = /^"([^"\\]*)"$/.exec(trimmed)?.[1]
  const name = quoted ?? trimmed
  // In quotes a comma and brackets are harmless; an address in a name never is.
  const plain = quoted === undefined ? name : name.replace(/[,()]/g, ' ')
  const isName = nameForm.test(plain) && name.length <= nameCharsMax && !name.includes('=?')
  return isName ? name : null
}

function readBare(text: string, name: string): Address | null {
  const at = text.indexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || local.length > localCharsMax || domain.length > domainCharsMax) return null
  if (!localForm.test(local) || !domainForm.test(domain)) return null
  return { name, local, domain: domain.toLowerCase() }
}

/** The address by itself. */
export function bareText({ local, domain }: Address): string {
  return `${local}@${domain}`
}

/** The address as it is sent on: made anew from what was read. */
export function addressText(address: Address): string {
  const { name } = address
  if (name === '') return bareText(address)
  const shown = /^[\p{L}\p{M}\p{N} ]+$/u.test(name) ? name : `"${name}"`
  return `${shown} <${bareText(address)}>`
}

/**
 * Whether an entry of a list means an address: the address itself, a domain (`acme.com`,
 * `@acme.com`), or with `*` in the place of letters; `*.acme.com` is every domain below, and
 * not the domain itself. Capitals do not count.
 */
export function isListed(entry: string, { local, domain }: Address): boolean {
  const pattern = entry.trim().toLowerCase()
  if (pattern === '*') return true
  const at = pattern.lastIndexOf('@')
  const [who, where] =
    at < 0 ? ['*', pattern] : [pattern.slice(0, at) || '*', pattern.slice(at + 1)]
  return fits(who, local.toLowerCase()) && fitsDomain(where, domain)
}

function fitsDomain(pattern: string, domain: string): boolean {
  if (pattern === '*') return true
  if (!pattern.startsWith('*.')) return pattern === domain
  return domain.endsWith(pattern.slice(1)) && domain.length > pattern.length - 1
}

/** Each part after the other, as near to the beginning as it is found. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
