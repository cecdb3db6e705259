/**
 * Finds dead links in Markdown: relative links to files that do not exist, and anchors that no
 * heading and no `<a id>` has. Links to other sites are not followed.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** A heading as GitHub turns it into an anchor; the site is built with the same function. */
export function headingSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** The Markdown files that readers see, as paths from the root. */
export function readerFiles(root: string): readonly string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'))
  const folders = ['docs', 'examples', 'cases', 'attacks'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
      .map((name) => join(folder, name)),
  )
  return [...top, ...folders].map((path) => path.split(sep).join('/')).sort()
}

/** `FILE: LINK` for each link of a file that leads nowhere. */
export function deadLinks(root: string, file: string): readonly string[] {
  const text = withoutCode(readFileSync(join(root, file), 'utf8'))
  const undefinedOnes = undefinedReferences(text).map((name) => `${file}: [${name}]`)
  const dead = linksIn(text).flatMap((link) => {
    const [path = '', anchor] = link.split('#', 2)
    const target = path === '' ? join(root, file) : join(root, dirname(file), decodeURI(path))
    // WHY first: what is there on this machine is not in a user's clone.
    const isOutside = relative(root, target).startsWith('..')
    if (isOutside || !existsSync(target)) return [`${file}: ${link}`]
    if (anchor === undefined || !target.endsWith('.md') || !statSync(target).isFile()) return []
    return anchorsIn(readFileSync(target, 'utf8')).has(anchor) ? [] : [`${file}: ${link}`]
  })
  return [...dead, ...undefinedOnes]
}

/** The names in `[text][name]` and `[name][]` that no line `[name]: link` defines. */
function undefinedReferences(text: string): readonly string[] {
  const defined = [...text.matchAll(/^ {0,3}\[([^\]]+)\]:\s/gm)].map(([, name = '']) => name)
  const known = new Set(defined.map((name) => name.toLowerCase()))
  return [...text.matchAll(/\[([^\]]+)\]\[([^\]]*)\]/g)]
    .map(([, shown = '', name = '']) => name || shown)
    .filter((name) => !known.has(name.toLowerCase()))
}

/** Relative links; addresses with a scheme are left out. */
function linksIn(text: string): readonly string[] {
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const html = [...text.matchAll(/\b(?:src|href)="([^"]+)"/g)]
  const references = [...text.matchAll(/^ {0,3}\[[^\]^][^\]]*\]:\s+<?([^\s>]+)/gm)]
  return [...inline, ...html, ...references]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link))
}

function anchorsIn(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = headingSlug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  for (const [, id = ''] of withoutFences(text).matchAll(/<a id="([^"]+)">/g)) anchors.add(id)
  return anchors
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '')
}

function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2`*$/gm, '')
}
