/**
 * Words: names that core may not use, words that a module must not know, and what comments may
 * contain.
 */
import type { Rules } from '../tidy.ts'
import type { Complaint } from './imports.ts'
import { type AstNode, isNode, type Source, type Visit, walk } from './parse.ts'

/** Every forbidden word of one file. */
export function checkWords(source: Source, rules: Rules): readonly Complaint[] {
  return [
    ...checkPurity(source, rules),
    ...checkBannedWords(source, rules),
    ...checkComments(source),
  ]
}

function checkPurity(source: Source, rules: Rules): readonly Complaint[] {
  if (source.isTest || !source.path.startsWith(rules.pureFolder)) return []
  return walk(source.program).flatMap((visit) => {
    const found = impurity(visit, rules.pureBans)
    if (found === null) return []
    const line = source.lineOf(visit.node.start)
    return [{ file: source.path, line, rule: 'pure', message: `core may not use \`${found}\`` }]
  })
}

function impurity(visit: Visit, bans: readonly string[]): string | null {
  const { node } = visit
  if (node.type === 'AwaitExpression') return 'await'
  if (node.type === 'ImportExpression') return 'import()'
  if (node.async === true) return 'async'
  if (node.type === 'ForOfStatement' && node.await === true) return 'for await'
  if (node.type === 'MemberExpression') {
    const name = memberName(node)
    return name !== null && bans.includes(name) ? name : null
  }
  if (node.type !== 'Identifier' || isOnlyAKey(visit)) return null
  return bans.includes(String(node.name)) ? String(node.name) : null
}

function memberName(node: AstNode): string | null {
  if (!isNode(node.object) || !isNode(node.property)) return null
  const property = node.computed === true ? node.property.value : node.property.name
  return `${node.object.name}.${property}`
}

// A key names a member of some value, not the global of that name.
function isOnlyAKey({ parent, key }: Visit): boolean {
  if (parent === null || parent.computed === true) return false
  if (key === 'property') return parent.type === 'MemberExpression'
  if (key === 'right') return parent.type === 'TSQualifiedName'
  return key === 'key' || key === 'imported' || key === 'exported'
}

function checkBannedWords(source: Source, rules: Rules): readonly Complaint[] {
  if (source.isTest) return []
  const bans = rules.wordBans.filter((ban) => source.path.startsWith(ban.folder))
  return bans.flatMap(({ folder, words }) =>
    walk(source.program).flatMap(({ node }) =>
      wordsOf(node)
        .filter((word) => words.includes(word))
        .map((word) => ({
          file: source.path,
          line: source.lineOf(node.start),
          rule: 'word',
          message: `\`${folder}\` must not know the word \`${word}\``,
        })),
    ),
  )
}

// The words of a name or a text: `loadWorkflow` and `'a workflow'` both say `workflow`.
function wordsOf(node: AstNode): readonly string[] {
  const text = textOf(node)
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
}

function textOf(node: AstNode): string {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name)
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : ''
  if (node.type !== 'TemplateElement') return ''
  const value = node.value
  return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : ''
}

const unfinished = /\b(TODO|FIXME|XXX|HACK)\b/
const issue = /#\d+/
// Statements that prose does not begin with.
const code = [
  /^(const|let|var) [\w{[].* = /,
  /^(import|export) .*['"{;]/,
  /^(if|for|while|switch) \(.*\) ?\{?$/,
  /^(async )?function \w*\(/,
  /^return\b.*[;)\]}]$/,
  /^(await |throw new )\S/,
  /^[\w.]+\(.*\);?$/,
  /^\} ?(else|catch|finally)\b/,
]

function checkComments(source: Source): readonly Complaint[] {
  return source.comments.flatMap((comment) => {
    const complaints: Complaint[] = []
    const place = { file: source.path, line: comment.line }
    if (unfinished.test(comment.text) && !issue.test(comment.text)) {
      complaints.push({ ...place, rule: 'todo', message: 'name the issue, as in `TODO(#12)`' })
    }
    const words = comment.text.trim()
    if (!comment.isBlock && code.some((pattern) => pattern.test(words))) {
      complaints.push({ ...place, rule: 'dead code', message: 'remove it, git remembers' })
    }
    return complaints
  })
}
