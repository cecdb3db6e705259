/**
 * The tags of an XML document, in order. Text, comments and CDATA are skipped.
 * Knows XML's tokens. Must not know any vocabulary. A document type is refused: entities expand.
 */

export type XmlTag = {
  readonly name: string
  readonly kind: 'open' | 'close' | 'single'
  readonly attributes: ReadonlyMap<string, string>
}

const xmlCharactersMax = 16_777_216
const tagsMax = 1_000_000
const depthMax = 100

/** Null: not well-formed, cut off, too large, or with a document type. */
export function readXmlTags(xml: string): readonly XmlTag[] | null {
  if (xml.length > xmlCharactersMax) return null
  const tags: XmlTag[] = []
  const open: string[] = []
  for (let at = xml.indexOf('<'); at !== -1; ) {
    const token = tokenAt(xml, at)
    if (token === null) return null
    at = xml.indexOf('<', token.end)
    const { tag } = token
    if (tag === null) continue
    if (tags.length >= tagsMax || open.length >= depthMax) return null
    // One root: after it has been closed, nothing begins.
    if (tags.length > 0 && open.length === 0) return null
    tags.push(tag)
    if (tag.kind === 'open') open.push(tag.name)
    if (tag.kind === 'close' && open.pop() !== tag.name) return null
  }
  return tags.length > 0 && open.length === 0 ? tags : null
}

type Token = { readonly tag: XmlTag | null; readonly end: number }

const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

function tokenAt(xml: string, at: number): Token | null {
  for (const [start, stop] of skipped) {
    if (!xml.startsWith(start, at)) continue
    const end = xml.indexOf(stop, at + start.length)
    return end === -1 ? null : { tag: null, end: end + stop.length }
  }
  const end = endOfTag(xml, at)
  if (end === null || xml[at + 1] === '!') return null
  const tag = tagOf(xml.slice(at + 1, end))
  return tag === null ? null : { tag, end: end + 1 }
}

/** The `>` that closes a tag; one inside quotes does not. */
function endOfTag(xml: string, at: number): number | null {
  let quote: string | null = null
  for (let position = at + 1; position < xml.length; position += 1) {
    const character = xml[position] ?? ''
    if (quote !== null) quote = character === quote ? null : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '<') return null
    else if (character === '>') return position
  }
  return null
}

// INVARIANT: sticky, so that a long text is tried from one place only and reading stays linear.
const attribute = /\s*([^\s="'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

function tagOf(text: string): XmlTag | null {
  const match = /^(\/?)([A-Za-z_][\w:.-]*)/.exec(text)
  if (match === null) return null
  const kind = match[1] === '/' ? 'close' : text.endsWith('/') ? 'single' : 'open'
  const rest = kind === 'single' ? text.slice(0, -1) : text
  const attributes = attributesIn(rest, match[0].length)
  return attributes === null ? null : { name: match[2] ?? '', kind, attributes }
}

/** Null: a name stands twice, or something else than attributes is there. */
function attributesIn(text: string, from: number): ReadonlyMap<string, string> | null {
  const attributes = new Map<string, string>()
  attribute.lastIndex = from
  let at = from
  for (let found = attribute.exec(text); found !== null; found = attribute.exec(text)) {
    const [, name = '', double, single] = found
    if (attributes.has(name)) return null
    attributes.set(name, double ?? single ?? '')
    at = attribute.lastIndex
  }
  return text.slice(at).trim() === '' ? attributes : null
}
