/**
 * Small pieces of SVG: escaped text, rounded lines, arrow tips and icons.
 * Knows SVG. Must not know machines.
 */
import { oneLine } from '../core/draw/label-text.ts'
import { type Font, widthOf } from './draw-svg-font.ts'
import type { SvgPoint } from './draw-svg-layout.ts'

const cornerRadius = 8
const tipLength = 9
const tipWidth = 4.5

/** Text that can stand in an element or a quoted attribute and means only itself. */
export function escapeXml(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** A number with at most one digit behind the point. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10)
}

type TextAt = SvgPoint & { readonly text: string; readonly font: Font; readonly look: string }

/** A line of text, held to its measured width whatever font the reader's system has. */
export function svgText(at: TextAt): string {
  const weight = at.font.weight === 'bold' ? ' font-weight="700"' : ''
  const width = px(widthOf(at.text, at.font))
  const fit = `textLength="${width}" lengthAdjust="spacingAndGlyphs"`
  const place = `x="${px(at.x)}" y="${px(at.y)}"`
  const style = `class="t-${at.look}" font-size="${at.font.sizePx}"${weight}`
  return `<text ${place} ${style} ${fit}>${escapeXml(at.text)}</text>`
}

export type SvgLine = {
  readonly points: readonly SvgPoint[]
  readonly look: EdgeLook
  readonly isDashed: boolean
}
export type EdgeLook = 'edge' | 'edge-bad' | 'edge-detour'

/** A line with rounded corners and an arrow tip at its end. */
export function svgArrow(line: SvgLine): string {
  const { points, look } = line
  const last = points.at(-1)
  const before = points.at(-2)
  if (!last || !before) return ''
  const length = Math.hypot(last.x - before.x, last.y - before.y) || 1
  const way = { x: (last.x - before.x) / length, y: (last.y - before.y) / length }
  const neck = { x: last.x - way.x * (tipLength - 1), y: last.y - way.y * (tipLength - 1) }
  const dash = line.isDashed ? ' dash' : ''
  const path = roundedPath([...points.slice(0, -1), neck])
  const base = { x: last.x - way.x * tipLength, y: last.y - way.y * tipLength }
  const side = { x: -way.y * tipWidth, y: way.x * tipWidth }
  const tip =
    `M${px(last.x)} ${px(last.y)}L${px(base.x + side.x)} ${px(base.y + side.y)}` +
    `L${px(base.x - side.x)} ${px(base.y - side.y)}Z`
  const tipLook = look.replace('edge', 'tip')
  return `<path class="${look}${dash}" d="${path}"/><path class="${tipLook}" d="${tip}"/>`
}

function roundedPath(points: readonly SvgPoint[]): string {
  const [first] = points
  const last = points.at(-1)
  if (!first || !last) return ''
  let path = `M${px(first.x)} ${px(first.y)}`
  for (let index = 1; index < points.length - 1; index += 1) {
    const corner = points[index] as SvgPoint
    const from = towards(corner, points[index - 1] as SvgPoint)
    const to = towards(corner, points[index + 1] as SvgPoint)
    path += `L${px(from.x)} ${px(from.y)}Q${px(corner.x)} ${px(corner.y)} ${px(to.x)} ${px(to.y)}`
  }
  return `${path}L${px(last.x)} ${px(last.y)}`
}

/** The point on the way to `other` where the rounding of the corner begins. */
function towards(corner: SvgPoint, other: SvgPoint): SvgPoint {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y)
  if (length === 0) return corner
  const share = Math.min(cornerRadius, length / 2) / length
  return { x: corner.x + (other.x - corner.x) * share, y: corner.y + (other.y - corner.y) * share }
}

export type Rect = SvgPoint & {
  readonly width: number
  readonly height: number
  readonly radius: number
  readonly look: string
}

/** A rectangle with rounded corners. */
export function svgRect(rect: Rect): string {
  const size = `width="${px(rect.width)}" height="${px(rect.height)}"`
  const place = `x="${px(rect.x)}" y="${px(rect.y)}"`
  return `<rect class="${rect.look}" ${place} ${size} rx="${px(rect.radius)}"/>`
}

export type IconName = 'completed' | 'failed' | 'blocked' | 'lock' | 'return' | 'pencil'

/** An icon of 14 × 14 with its upper left corner at the point. */
export function svgIcon(name: IconName, at: SvgPoint): string {
  return `<g transform="translate(${px(at.x)} ${px(at.y)})">${icons[name]}</g>`
}

const icons: { readonly [name in IconName]: string } = {
  completed:
    '<circle class="i-ok" cx="7" cy="7" r="7"/>' +
    '<path class="i-mark" d="M3.6 7.3L6.1 9.8L10.4 4.6"/>',
  failed:
    '<circle class="i-bad" cx="7" cy="7" r="7"/>' +
    '<path class="i-mark" d="M4.4 4.4L9.6 9.6M9.6 4.4L4.4 9.6"/>',
  blocked: '<circle class="i-bad" cx="7" cy="7" r="7"/><path class="i-mark" d="M3.5 7H10.5"/>',
  lock:
    '<path class="shackle" d="M4 6V4A2.6 2.6 0 0 1 9.2 4V6"/>' +
    '<rect class="lock" x="2" y="5.6" width="9.2" height="7.2" rx="1.6"/>',
  return: '<path class="i-line" d="M5 2L2 5L5 8M2 5H8.5A3.5 3.5 0 0 1 8.5 12H5"/>',
  pencil: '<path class="i-line" d="M2 12L2.8 9L9.5 2.3L11.7 4.5L5 11.2Z"/>',
}
