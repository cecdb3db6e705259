/**
 * The colours and line styles of an SVG picture, for light and dark mode. Contains no text of an
 * author.
 */

type Theme = {
  readonly page: string
  readonly card: string
  readonly line: string
  readonly edge: string
  readonly text: string
  readonly muted: string
  readonly condition: string
  readonly ok: string
  readonly okFill: string
  readonly bad: string
  readonly badFill: string
  readonly gate: string
  readonly gateFill: string
  readonly gateText: string
  readonly detour: string
  readonly detourFill: string
  readonly machine: string
  readonly machineFill: string
  readonly bar: string
}

const light: Theme = {
  page: '#ffffff',
  card: '#f7f9fc',
  line: '#aab6c6',
  edge: '#64748b',
  text: '#17202e',
  muted: '#566274',
  condition: '#0b6a72',
  ok: '#15803d',
  okFill: '#e8f7ee',
  bad: '#c02626',
  badFill: '#fdecec',
  gate: '#d99a0b',
  gateFill: '#fff5d9',
  gateText: '#714a00',
  detour: '#7c3aed',
  detourFill: '#f5f0ff',
  machine: '#2563b8',
  machineFill: '#eaf2fd',
  bar: '#27364b',
}

const dark: Theme = {
  page: '#0d1117',
  card: '#171e28',
  line: '#46536a',
  edge: '#8b9ab0',
  text: '#e8eef6',
  muted: '#a3b0c2',
  condition: '#5fd0d8',
  ok: '#3fb868',
  okFill: '#10281a',
  bad: '#f26d6d',
  badFill: '#331617',
  gate: '#e3b341',
  gateFill: '#33270b',
  gateText: '#f3d28a',
  detour: '#b794ff',
  detourFill: '#221a38',
  machine: '#6cabff',
  machineFill: '#12233c',
  bar: '#c4d0e0',
}

/** The style sheet inside the picture. Every rule is scoped, so that it can stand in a page. */
export function styleSheet(themes: 'light' | 'both'): string {
  const base = `.pawl-picture text{font-family:${fontStack}}${rulesOf(light).join('')}`
  if (themes === 'light') return base
  return `${base}@media (prefers-color-scheme:dark){${rulesOf(dark).join('')}}`
}

const fontStack = "Helvetica,Arial,'Liberation Sans',sans-serif"

function rulesOf(theme: Theme): string[] {
  const rules: readonly (readonly [string, string])[] = [
    ['page', `fill:${theme.page}`],
    ['card', `fill:${theme.card};stroke:${theme.line};stroke-width:1.25`],
    ['ok', `fill:${theme.okFill};stroke:${theme.ok};stroke-width:1.5`],
    ['bad', `fill:${theme.badFill};stroke:${theme.bad};stroke-width:1.5`],
    ['inner', 'fill:none;stroke-width:1'],
    ['handler', `fill:${theme.detourFill};stroke:${theme.detour};stroke-width:1.5`],
    ['dash', 'stroke-dasharray:5 4'],
    ['machine', `fill:${theme.machineFill};stroke:${theme.machine};stroke-width:1.5`],
    ['bar', `fill:${theme.bar}`],
    ['edge', `fill:none;stroke:${theme.edge};stroke-width:1.6`],
    ['edge-bad', `fill:none;stroke:${theme.bad};stroke-width:1.3`],
    ['edge-detour', `fill:none;stroke:${theme.detour};stroke-width:1.6`],
    ['tip', `fill:${theme.edge}`],
    ['tip-bad', `fill:${theme.bad}`],
    ['tip-detour', `fill:${theme.detour}`],
    ['chip', `fill:${theme.page}`],
    ['chip-gate', `fill:${theme.gateFill};stroke:${theme.gate};stroke-width:1`],
    ['lock', `fill:${theme.gate}`],
    ['shackle', `fill:none;stroke:${theme.gate};stroke-width:1.6`],
    ['t-heading,.pawl-picture .t-title,.pawl-picture .t-signal', `fill:${theme.text}`],
    ['t-value', `fill:${theme.text}`],
    ['t-brief,.pawl-picture .t-key', `fill:${theme.muted}`],
    ['t-condition', `fill:${theme.condition}`],
    ['t-gate', `fill:${theme.gateText}`],
    ['t-detour', `fill:${theme.detour}`],
    ['t-bad', `fill:${theme.bad}`],
    ['i-ok', `fill:${theme.ok}`],
    ['i-bad', `fill:${theme.bad}`],
    ['i-mark', `fill:none;stroke:${theme.page};stroke-width:1.8`],
    ['i-line', `fill:none;stroke:${theme.detour};stroke-width:1.6`],
    ['rule', `stroke:${theme.line};stroke-width:1;stroke-opacity:.6`],
  ]
  return rules.map(([name, style]) => `.pawl-picture .${name}{${style}}`)
}
