/**
 * Prints a picture in Graphviz' language, for pictures that are too large for the others.
 * Knows pictures. Must not know machines or dialects.
 */
import { assertNever } from '../assert.ts'
import { gateText, lineText } from './edge-line-text.ts'
import { oneLine } from './label-text.ts'
import type { Picture, PictureEdge, PictureFact, PictureNode } from './picture-types.ts'

const font = 'fontname="Helvetica,Arial,sans-serif"'
const barStyle = 'height="0.08", width="2.2", fixedsize="true", style="filled", fillcolor="#27364b"'
const muted = '#566274'
const gateColour = '#b07a00'

/** The picture as Graphviz text. */
export function printDot(picture: Picture): string {
  const initial = picture.nodes.find((node) => node.isInitial)
  const heading =
    `<B>${html(picture.title)}</B>` +
    [picture.about, ...picture.notes.map((note) => `${note.key}: ${note.text}`)]
      .map((text) => `<BR ALIGN="LEFT"/><FONT POINT-SIZE="10">${html(text)}</FONT>`)
      .join('')
  const lines = [
    'digraph machine {',
    `  graph [label=<${heading}<BR ALIGN="LEFT"/>>, labelloc="t", labeljust="l", rankdir="TB", ` +
      `${font}, fontsize="14", nodesep="0.4", ranksep="0.5", pad="0.3"];`,
    '  node [shape="box", style="rounded,filled", fillcolor="#f7f9fc", color="#8fa0b5", ' +
      `${font}, fontsize="12", margin="0.15,0.1"];`,
    `  edge [color="#64748b", ${font}, fontsize="10", arrowsize="0.8"];`,
    ...(initial
      ? [
          '  start [shape="circle", label="", width="0.18", style="filled", fillcolor="#27364b"];',
          `  start -> ${initial.id};`,
        ]
      : []),
    ...picture.nodes.map((node) => `  ${node.id} [${nodeStyle(node)}];`),
    ...picture.edges.map((edge) => `  ${edge.from} -> ${edge.to} [${edgeStyle(edge)}];`),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function nodeStyle(node: PictureNode): string {
  const label = `label=<${nodeLabel(node)}>, tooltip="${quoted(node.name)}"`
  switch (node.kind) {
    case 'stage':
      return label
    case 'handler':
    case 'detour':
    case 'return':
      return `${label}, style="rounded,filled,dashed", fillcolor="#f5f0ff", color="#7c3aed"`
    case 'final':
    case 'end':
    case 'branch_end': {
      const isOk = node.outcome === 'completed'
      const colours = isOk
        ? 'fillcolor="#e8f7ee", color="#15803d"'
        : 'fillcolor="#fdecec", color="#c02626"'
      return `${label}, ${colours}, peripheries="${node.kind === 'branch_end' ? 1 : 2}"`
    }
    case 'machine':
      return `${label}, shape="component", style="filled", fillcolor="#eaf2fd", color="#2563b8"`
    case 'fork':
    case 'join':
      return `label="", tooltip="${quoted(node.name)}", ${barStyle}`
    default:
      return assertNever(node.kind)
  }
}

function nodeLabel(node: PictureNode): string {
  const lines = node.facts.map(factLabel)
  const title = node.kind === 'detour' ? `when ${node.title} changes, in any stage` : node.title
  const mark = node.kind === 'return' ? '↩ ' : ''
  const head = `<B>${mark}${html(title)}</B>`
  if (lines.length === 0) return head
  return [head, ...lines].map((line) => `${line}<BR ALIGN="LEFT"/>`).join('')
}

function factLabel(fact: PictureFact): string {
  const text = fact.key === 'brief' ? fact.text : `${fact.key}: ${fact.text}`
  return `<FONT POINT-SIZE="10" COLOR="${muted}">${html(text)}</FONT>`
}

function edgeStyle(edge: PictureEdge): string {
  const lines = edge.lines.flatMap((line) => {
    const text = html(lineText(line))
    if (line.gate === null) return [text]
    return [text, `<FONT COLOR="${gateColour}">${html(gateText(line.gate))}</FONT>`]
  })
  const label = lines.filter((line) => line !== '').join('<BR/>')
  const hasGate = edge.lines.some((line) => line.gate !== null)
  const styles = [label === '' ? '' : `label=<&#160;${label}&#160;>`]
  if (edge.kind === 'detour' || edge.kind === 'return')
    styles.push('style="dashed", color="#7c3aed"')
  else if (edge.kind === 'fallback') styles.push('style="dashed"')
  else if (hasGate) styles.push('color="#d99a0b", penwidth="1.8"')
  else if (edge.isBad) styles.push('color="#c02626"')
  return styles.filter((style) => style !== '').join(', ')
}

function html(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

// WHY: in a quoted string Graphviz still reads `\n`, `\N` and entities.
function quoted(text: string): string {
  return html(text).replaceAll('\\', '\\\\')
}
