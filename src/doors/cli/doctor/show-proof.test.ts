import { expect, test } from 'vitest'
import type { Io } from '../io.ts'
import type { HostsProof, ProofColumn } from './doctor-door.ts'
import { proofText } from './show-proof.ts'

const column = (host: string): ProofColumn => ({
  ...{ host, version: '1.2.3', ms: 1, fault: null },
  cells: {
    shell: { outcome: 'stopped', note: '' },
    web: { outcome: 'not enforceable', note: '' },
  },
})
const hosts = ['claude', 'codex', 'gemini', 'opencode', 'cline'].map(column)
const proof: HostsProof = { paths: { shell: 'shell', web: 'web search' }, hosts }

function linesAt(columns: number, isTerminal = true): readonly string[] {
  const io = { columns, isTerminal, hasColour: false } as unknown as Io
  return proofText(proof, io).trimEnd().split('\n')
}

test('a terminal that is wide enough, and a pipe, get one table', () => {
  expect(linesAt(100)).toHaveLength(3)
  expect(linesAt(40, false)).toHaveLength(3)
})

test.each([30, 50, 64, 80])(
  'at %s columns no line is too long, and no host is left out',
  (width) => {
    const lines = linesAt(width)
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) expect(line.trimEnd().length, line).toBeLessThanOrEqual(width)
    for (const { host } of hosts) expect(lines.filter((one) => one.includes(host))).toHaveLength(1)
    expect(lines.filter((one) => one.startsWith('web search'))).toHaveLength((lines.length + 1) / 4)
  },
)
