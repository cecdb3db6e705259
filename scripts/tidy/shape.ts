/** The shape of a file: lengths, parameters, exports, headers, and constructs we do not use. */
import type { Rules } from '../tidy.ts'
import type { Complaint } from './imports.ts'
import { type AstNode, isNode, nodesOf, type Source, walk } from './parse.ts'

/** What is wrong with the form of one file. */
export function checkShape(source: Source, rules: Rules): readonly Complaint[] {
  return [
    ...checkLines(source, rules),
    ...checkHeader(source),
    ...walk(source.program).flatMap(({ node }) => [
      ...checkFunction(source, node, rules),
      ...checkConstruct(source, node, rules),
    ]),
  ]
}

type Remark = { readonly at: number; readonly rule: string; readonly message: string }

function complain(source: Source, remarks: readonly Remark[]): readonly Complaint[] {
  return remarks.map(({ at, rule, message }) => ({ file: source.path, line: at, rule, message }))
}

function checkLines(source: Source, rules: Rules): readonly Complaint[] {
  const remarks: Remark[] = []
  const lines = source.text.replace(/\n$/, '').split('\n')
  const linesMax = source.isTest ? rules.testLinesMax : rules.linesMax
  if (lines.length > linesMax) {
    const message = `${lines.length} lines, ${linesMax} are allowed: split the file`
    remarks.push({ at: 1, rule: 'file length', message })
  }
  lines.forEach((line, index) => {
    const charsCount = [...line].length
    // An address cannot be broken.
    if (charsCount <= rules.lineCharsMax || /https?:\/\//.test(line)) return
    const message = `${charsCount} characters, ${rules.lineCharsMax} are allowed`
    remarks.push({ at: index + 1, rule: 'line length', message })
  })
  return complain(source, remarks)
}

function checkHeader(source: Source): readonly Complaint[] {
  if (
    source.isTest ||
    source.text
      .trimStart()
      .replace(/^#!.*\n/, '')
      .startsWith('/**')
  )
    return []
  const message = 'begin the file with a comment: what it is for, what it must not know'
  return complain(source, [{ at: 1, rule: 'header', message }])
}

const functions = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'TSDeclareFunction',
])

function checkFunction(source: Source, node: AstNode, rules: Rules): readonly Complaint[] {
  if (!functions.has(node.type) || source.isTest) return []
  const at = source.lineOf(node.start)
  const remarks: Remark[] = []
  const linesCount = source.lineOf(node.end) - at + 1
  if (linesCount > rules.functionLinesMax) {
    const message = `${linesCount} lines, ${rules.functionLinesMax} are allowed: split it`
    remarks.push({ at, rule: 'function length', message })
  }
  const parameters = nodesOf(node, 'params').filter((one) => one.name !== 'this')
  if (parameters.length > rules.parametersMax) {
    const message = `${parameters.length} parameters, ${rules.parametersMax} are allowed`
    remarks.push({ at, rule: 'parameters', message })
  }
  if (node.type === 'FunctionDeclaration' && parameters.some(isBoolean)) {
    const message = 'a boolean says nothing where it is passed: use a word or two functions'
    remarks.push({ at, rule: 'boolean parameter', message })
  }
  return complain(source, remarks)
}

function isBoolean(parameter: AstNode): boolean {
  const inner = isNode(parameter.left) ? parameter.left : parameter
  const annotation = isNode(inner.typeAnnotation) ? inner.typeAnnotation.typeAnnotation : null
  if (isNode(annotation) && annotation.type === 'TSBooleanKeyword') return true
  return isNode(parameter.right) && typeof parameter.right.value === 'boolean'
}

function checkConstruct(source: Source, node: AstNode, rules: Rules): readonly Complaint[] {
  const remark = remarkOn(source, node, rules)
  if (remark === null) return []
  return complain(source, [{ at: source.lineOf(node.start), ...remark }])
}

function remarkOn(source: Source, node: AstNode, rules: Rules): Omit<Remark, 'at'> | null {
  const isPure = source.path.startsWith(rules.pureFolder) && !source.isTest
  switch (node.type) {
    case 'TSAnyKeyword':
      return { rule: 'any', message: 'use `unknown` and parse it once' }
    case 'TSEnumDeclaration':
      return { rule: 'enum', message: 'use a union of texts' }
    case 'TSModuleDeclaration':
      return { rule: 'namespace', message: 'use a module' }
    case 'ExportDefaultDeclaration':
    case 'TSExportAssignment':
      return { rule: 'default export', message: 'export it by name' }
    case 'ExportSpecifier':
      return isNode(node.exported) && node.exported.name === 'default'
        ? { rule: 'default export', message: 'export it by name' }
        : null
    case 'ExportAllDeclaration':
      return source.path.endsWith('/index.ts')
        ? null
        : { rule: 'export *', message: 'name what is exported, or do it in `index.ts`' }
    case 'ClassDeclaration':
    case 'ClassExpression':
      return isPure ? { rule: 'class', message: 'core has data and functions only' } : null
    default:
      return null
  }
}
