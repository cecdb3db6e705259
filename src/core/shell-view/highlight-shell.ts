/**
 * Which parts of a shell text are programs, strings, variables and comments, as bash reads it.
 * Knows the parser's tree. Must not know how a part is drawn.
 * WHY not by patterns: whoever decides on a command must never see a part that runs drawn like a
 * comment. What does not parse has no parts.
 */
import { parseShell, type SyntaxNode, shellChildren } from '../shell/parse.ts'

const kinds = ['program', 'string', 'variable', 'comment'] as const

/** A part of a text, from `begin` up to `end`. */
export type ShellSpan = {
  readonly kind: (typeof kinds)[number]
  readonly begin: number
  readonly end: number
}

/** Characters that are looked at; a longer text has no parts. */
const charsMax = 20_000

// What stands at a place: nothing that the tree knows, a token without a kind, or a kind.
const gap = 0
const token = 1
const firstKind = 2
const paintOf = (kind: ShellSpan['kind']): number => firstKind + kinds.indexOf(kind)

/** The parts in the order of the text; they never overlap. */
export function highlightShell(text: string): readonly ShellSpan[] {
  if (text.length > charsMax) return []
  const parsed = parseShell(text)
  if (!parsed.ok) return []
  const paint = new Uint8Array(text.length)
  paintNode(parsed.script, paint)
  paintComments(text, paint)
  return spansOf(paint)
}

/** Paints a node, then what is inside of it over that. */
function paintNode(node: SyntaxNode, paint: Uint8Array): void {
  if (node.type === 'Script') {
    // Positions in a script with escaped backticks are those of another text.
    if (node.source !== undefined) return
    paint.fill(gap, node.pos, node.end)
  }
  const own = paintFor(node)
  if (own !== null) paint.fill(own, node.pos, node.end)
  if (node.type === 'HereDoc' && node.closing !== undefined) {
    paint.fill(paintOf('string'), node.closing.pos, node.closing.end)
  }
  const name = node.type === 'Command' ? node.name : undefined
  for (const child of shellChildren(node)) {
    paintNode(child, paint)
    if (child === name && name.parts === undefined) {
      paint.fill(paintOf('program'), name.pos, name.end)
    }
  }
}

function paintFor({ type }: SyntaxNode): number | null {
  switch (type) {
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'HereDocBody':
      return paintOf('string')
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return paintOf('variable')
    case 'Word':
    case 'Assignment':
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'TestCommand':
      return token
    default:
      return null
  }
}

/** Comments are in no tree: they begin with a `#` between the tokens and end with the line. */
function paintComments(text: string, paint: Uint8Array): void {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    if (paint[at] !== gap || !/^$|[\s;&|()]/.test(text.slice(at - 1, at))) continue
    const line = text.indexOf('\n', at)
    const end = line < 0 ? text.length : line
    if (paint.subarray(at, end).every((one) => one === gap)) {
      paint.fill(paintOf('comment'), at, end)
    }
  }
}

function spansOf(paint: Uint8Array): readonly ShellSpan[] {
  const spans: ShellSpan[] = []
  for (let begin = 0; begin < paint.length; ) {
    const own = paint[begin] as number
    let end = begin + 1
    while (end < paint.length && paint[end] === own) end += 1
    const kind = kinds[own - firstKind]
    if (kind !== undefined) spans.push({ kind, begin, end })
    begin = end
  }
  return spans
}
