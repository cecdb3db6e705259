/**
 * A proof as a table for people: paths down, hosts across, and below what has to be known.
 */
import type { Io } from '../io.ts'
import {
  type Line,
  line,
  printLines,
  type Span,
  span,
  type Tone,
  wrap,
} from '../play/styled-text.ts'
import { widthOf } from '../play/view-lines.ts'
import { tableText } from '../remote/show-table.ts'
import type { Outcome, Proof, ProofColumn } from './doctor-door.ts'

const tones: Readonly<Record<Outcome, Tone>> = {
  stopped: 'good',
  EXECUTED: 'bad',
  'not offered': 'dim',
  'not enforceable': 'warn',
  'not tried': 'bad',
}

/** Whether everything that should be stopped was, and everything was tried. */
export function holds({ hosts }: Proof): boolean {
  return hosts.every(
    ({ cells, fault }) =>
      fault === null && Object.values(cells).every(({ outcome }) => tones[outcome] !== 'bad'),
  )
}

/** The whole of it. */
export function proofText(proof: Proof, io: Io): string {
  const tried = proof.hosts.filter(({ fault }) => fault === null)
  const heads = ['', ...tried.map(({ host, version }) => `${host} ${version ?? ''}`.trim())]
  const rows = Object.entries(proof.paths).map(
    ([id, title]): Line => [span(title), ...tried.map((column) => cellSpan(column, id))],
  )
  const table = tried.length === 0 ? '' : tableText(heads, rows, io)
  return `${table}${printLines(notes(proof, io), io)}`
}

function cellSpan({ cells }: ProofColumn, id: string): Span {
  const outcome = cells[id]?.outcome ?? 'not tried'
  return span(outcome, tones[outcome])
}

/** What a cell alone would leave open; the same words are said once for a host. */
function notes({ paths, hosts }: Proof, io: Io): readonly Line[] {
  const width = widthOf(io)
  const said = hosts.flatMap(({ host, cells, fault }) => {
    const open = Object.entries(cells).filter(
      ([, { outcome, note }]) => note !== '' && outcome !== 'not offered',
    )
    const words = new Set(open.map(([, { outcome, note }]) => `${outcome}: ${note}`))
    const lines = [...words].map((one) => {
      const about = open.filter(([, { outcome, note }]) => `${outcome}: ${note}` === one)
      return `${host}, ${about.map(([id]) => paths[id] ?? id).join(', ')}: ${one}`
    })
    return fault === null ? lines : [`${host} could not be proved: ${fault}`]
  })
  return said.flatMap((text) =>
    wrap(text, width - 2).map((words, at) => line(`${at === 0 ? '! ' : '  '}${words}`)),
  )
}
