/**
 * Prints a picture as a Mermaid flowchart, which GitHub and many wikis draw by themselves.
 * Knows pictures. Must not know machines or dialects.
 */
import { assertNever } from '../assert.ts'
import { lineText } from './edge-line-text.ts'
import { oneLine } from './label-text.ts'
import type { NodeKind, Picture, PictureEdge, PictureNode } from './picture-types.ts'

/** The picture as Mermaid text. */
export function printMermaid(picture: Picture): string {
  const initial = picture.nodes.find((node) => node.isInitial)
  const lines = [
    '---',
    `title: ${JSON.stringify(titleText(picture.title))}`,
    '---',
    'flowchart TD',
    ...(initial ? ['  start((" "))', `  start --> ${initial.id}`] : []),
    ...picture.nodes.map(nodeLine),
    ...picture.edges.map(edgeLine),
    ...(initial ? ['  class start bar'] : []),
    ...classLines(picture),
    ...linkLines(picture, initial ? 1 : 0),
  ]
  return `${lines.join('\n')}\n`
}

// WHY: the title stands in YAML, where entities would be shown as they are.
function titleText(text: string): string {
  return oneLine(text).replace(/[<>&]/gu, ' ').replace(/\s+/gu, ' ')
}

function nodeLine(node: PictureNode): string {
  const [open, close] = bracketsOf(node.kind)
  return `  ${node.id}${open}"${labelOf(node)}"${close}`
}

function labelOf(node: PictureNode): string {
  const facts = node.facts.map((fact) =>
    fact.key === 'brief' ? mermaidText(fact.text) : `${fact.key}: ${mermaidText(fact.text)}`,
  )
  const title = facts.length === 0 ? titleOf(node) : `<b>${titleOf(node)}</b>`
  return [title, ...facts].join('<br/>')
}

function titleOf(node: PictureNode): string {
  const title = mermaidText(node.title)
  if (node.kind === 'detour') return `when ${title} changes<br/>in any stage`
  if (node.kind === 'return') return `↩ ${title}`
  if (node.kind === 'machine') return `machine ${title}`
  if (node.outcome === null) return title
  const mark = { completed: '✔', blocked: '⊘', failed: '✘' }[node.outcome]
  return `${mark} ${title}`
}

function bracketsOf(kind: NodeKind): readonly [string, string] {
  switch (kind) {
    case 'stage':
    case 'handler':
      return ['(', ')']
    case 'final':
    case 'end':
    case 'branch_end':
      return ['([', '])']
    case 'machine':
      return ['[[', ']]']
    case 'detour':
    case 'return':
      return ['{{', '}}']
    case 'fork':
    case 'join':
      return ['[', ']']
    default:
      return assertNever(kind)
  }
}

function edgeLine(edge: PictureEdge): string {
  const texts = edge.lines.map((line) => {
    const gate = line.gate === null ? '' : `🔒 ${mermaidText(line.gate)}`
    return [mermaidText(lineText(line)), gate].filter((text) => text !== '').join('<br/>')
  })
  const label = texts.length === 0 ? '' : `|"${texts.join('<br/>')}"|`
  return `  ${edge.from} ${isDashed(edge) ? '-.->' : '-->'}${label} ${edge.to}`
}

function isDashed(edge: PictureEdge): boolean {
  return edge.kind === 'detour' || edge.kind === 'return' || edge.kind === 'fallback'
}

const classStyles = {
  stage: 'fill:#f7f9fc,stroke:#8fa0b5,color:#17202e',
  ok: 'fill:#e8f7ee,stroke:#15803d,color:#17202e,stroke-width:2px',
  bad: 'fill:#fdecec,stroke:#c02626,color:#17202e,stroke-width:2px',
  detour: 'fill:#f5f0ff,stroke:#7c3aed,color:#17202e,stroke-dasharray:5 4',
  machine: 'fill:#eaf2fd,stroke:#2563b8,color:#17202e',
  bar: 'fill:#27364b,stroke:#27364b,color:#ffffff',
} as const
type ClassName = keyof typeof classStyles

function classOf(node: PictureNode): ClassName {
  if (node.outcome !== null) return node.outcome === 'completed' ? 'ok' : 'bad'
  if (node.kind === 'fork' || node.kind === 'join') return 'bar'
  if (node.kind === 'machine') return 'machine'
  return node.kind === 'stage' ? 'stage' : 'detour'
}

function classLines(picture: Picture): string[] {
  const members = new Map<ClassName, string[]>([['bar', []]])
  for (const node of picture.nodes) {
    const name = classOf(node)
    const ids = members.get(name) ?? []
    ids.push(node.id)
    members.set(name, ids)
  }
  return [...members].flatMap(([name, ids]) => [
    `  classDef ${name} ${classStyles[name]}`,
    ...(ids.length > 0 ? [`  class ${ids.join(',')} ${name}`] : []),
  ])
}

/** Colours for edges; Mermaid counts them in the order of the text. */
function linkLines(picture: Picture, edgesBefore: number): string[] {
  const groups = { bad: [] as number[], detour: [] as number[], gate: [] as number[] }
  for (const [index, edge] of picture.edges.entries()) {
    const number = index + edgesBefore
    if (edge.lines.some((line) => line.gate !== null)) groups.gate.push(number)
    else if (edge.kind === 'detour' || edge.kind === 'return') groups.detour.push(number)
    else if (edge.isBad) groups.bad.push(number)
  }
  const line = (numbers: readonly number[], style: string): string[] =>
    numbers.length === 0 ? [] : [`  linkStyle ${numbers.join(',')} ${style}`]
  return [
    ...line(groups.bad, 'stroke:#c02626'),
    ...line(groups.detour, 'stroke:#7c3aed'),
    ...line(groups.gate, 'stroke:#d99a0b,stroke-width:2px'),
  ]
}

// WHY: inside quotes Mermaid still reads entities, HTML and, in newer versions, Markdown: a name
//      like `1. list` or a bare address would be replaced by an error text. What could begin any
//      of these becomes a number that means only the character itself.
function mermaidText(text: string): string {
  return oneLine(text)
    .replace(/[#"&<>`*~\\|;{}$%^]/gu, entity)
    .replace(/(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])/gu, (run) => run.replace(/_/gu, entity))
    .replace(/^(\d+)([.)])/u, (_, digits: string, dot: string) => digits + entity(dot))
    .replace(/^[-+=]/u, entity)
    .replace(/:(?=\/\/)|@|(?<=\])[(:[]|(?<=www)\./gu, entity)
}

function entity(char: string): string {
  return `#${char.codePointAt(0)};`
}
