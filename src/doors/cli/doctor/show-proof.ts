/**
 * A proof as a table for people: paths down, hosts across, notes below.
 */
import type { Io } from '../io.ts'
import {
  printLines,
  type StyledLine,
  type StyledSpan,
  styledLine,
  styledSpan,
  type Tone,
  wrap,
} from '../play/styled-text.ts'
import { displayWidth } from '../play/view-lines.ts'
import { tableText } from '../remote/show-table.ts'
import type { CheckOutcome, HostsProof, ProofColumn } from './doctor-door.ts'

const tones: Readonly<Record<CheckOutcome, Tone>> = {
  stopped: 'good',
  EXECUTED: 'bad',
  'not offered': 'dim',
  'not enforceable': 'warn',
  'not tried': 'bad',
}

/** Whether everything that should be stopped was, and everything was tried. */
export function proofHolds({ hosts }: HostsProof): boolean {
  return hosts.every(
    ({ cells, fault }) =>
      fault === null && Object.values(cells).every(({ outcome }) => tones[outcome] !== 'bad'),
  )
}

/** The whole of it. */
export function proofText(proof: HostsProof, io: Io): string {
  const tried = proof.hosts.filter(({ fault }) => fault === null)
  const tables = blocksOf(tried, proof, io).map((columns) => tableOf(columns, proof, io))
  return `${tables.join('\n')}${printLines(notes(proof, io), io)}`
}

function tableOf(columns: readonly ProofColumn[], { paths }: HostsProof, io: Io): string {
  const rows = Object.entries(paths).map(
    ([id, title]): StyledLine => [
      styledSpan(title),
      ...columns.map((column) => cellSpan(column, id)),
    ],
  )
  return tableText(['', ...columns.map(headOf)], rows, io)
}

function headOf({ host, version }: ProofColumn): string {
  return `${host} ${version ?? ''}`.trim()
}

const gap = 2

/** Hosts that fit beside each other in the terminal; all of them where there is none. */
function blocksOf(
  columns: readonly ProofColumn[],
  { paths }: HostsProof,
  io: Io,
): readonly (readonly ProofColumn[])[] {
  const room = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY
  const titleWidth = Math.max(...Object.values(paths).map(({ length }) => length))
  const widthOf = (column: ProofColumn): number =>
    Math.max(
      headOf(column).length,
      ...Object.keys(paths).map((id) => cellSpan(column, id).text.length),
    )
  const blocks: ProofColumn[][] = []
  let used = 0
  for (const column of columns) {
    const width = gap + widthOf(column)
    const last = blocks.at(-1)
    if (last === undefined || used + width > room) {
      blocks.push([column])
      used = titleWidth + width
    } else {
      last.push(column)
      used += width
    }
  }
  return blocks
}

function cellSpan({ cells }: ProofColumn, id: string): StyledSpan {
  const outcome = cells[id]?.outcome ?? 'not tried'
  return styledSpan(outcome, tones[outcome])
}

/** What a cell alone would leave open; the same words are said once for a host. */
function notes({ paths, hosts }: HostsProof, io: Io): readonly StyledLine[] {
  const width = displayWidth(io)
  const said = hosts.flatMap(({ host, cells, fault }) => {
    const open = Object.entries(cells).filter(
      ([, { outcome, note }]) => note !== '' && outcome !== 'not offered',
    )
    const words = new Set(open.map(([, { outcome, note }]) => `${outcome}: ${note}`))
    const lines = [...words].map((one) => {
      const about = open.filter(([, { outcome, note }]) => `${outcome}: ${note}` === one)
      return `${host}, ${about.map(([id]) => paths[id] ?? id).join(', ')}: ${one}`
    })
    return fault === null ? lines : [`${host} could not be tested: ${fault}`]
  })
  return said.flatMap((text) =>
    wrap(text, width - 2).map((words, at) => styledLine(`${at === 0 ? '! ' : '  '}${words}`)),
  )
}
