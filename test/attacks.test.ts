/**
 * The attack corpus as cases: every `must` comes out as labelled, and the score on `should` is
 * printed. Records that need a server, a runner or a disk are for adapters of their own.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSource } from '../src/core/source/read-source.ts'
import { plainValue } from '../src/core/source/source.ts'
import type { Case } from '../src/testing/case-schema.ts'
import type { CaseResult } from '../src/testing/play-case.ts'
import { caseSource, playCase } from '../src/testing/play-case.ts'

const attacks = join(import.meta.dirname, '..', 'attacks')
const folder = mkdtempSync(join(tmpdir(), 'pawl-attacks-'))
afterAll(() => rmSync(folder, { recursive: true }))

function playAll(): CaseResult[] {
  const out = join(folder, 'attacks.cases.json')
  const args = [join(attacks, 'to-cases.mjs'), join(attacks, 'public.jsonl'), '--out', out]
  execFileSync(process.execPath, args, { stdio: 'ignore' })
  const { root } = readSource(readFileSync(out, 'utf8'))
  const nodes = root?.kind === 'list' ? root.items : []
  return nodes.map((node) => {
    const one = plainValue(node) as unknown as Case
    return playCase(caseSource(one, node, null))
  })
}

const results = playAll()

test('the corpus has become cases', () => {
  expect(results.length).toBeGreaterThan(300)
})

test('every attack that must be held is held, and all ordinary work passes', () => {
  const wrong = results.filter((one) => one.level === 'must' && !one.ok)
  expect(wrong.map((one) => [one.id, one.title, one.failures])).toEqual([])
})

test('the score on hardening is told', () => {
  const should = results.filter((one) => one.level === 'should')
  const held = should.filter((one) => one.ok)
  const missed = should.filter((one) => !one.ok).map((one) => one.id)
  console.log(`attacks, should: ${held.length} of ${should.length}; missed: ${missed.join(' ')}`)
  expect(held.length).toBeGreaterThan(0)
})
