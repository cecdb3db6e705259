/** Files of a workspace that are links to files outside it: no reader follows them. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { knownPrices } from '../../core/prices.ts'
import { readPrices } from '../costs/prices.ts'
import { definitionsIn } from './find-definition.ts'

function workspaceWith(name: string, text: string): string {
  const root = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, 'work')
  mkdirSync(join(workspace, '.pawl', 'definitions'), { recursive: true })
  writeFileSync(join(root, 'outside.json'), text)
  symlinkSync(join(root, 'outside.json'), join(workspace, '.pawl', name))
  return workspace
}

test('prices are not read through a link out of the workspace', () => {
  const workspace = workspaceWith('prices.json', '{"prices": {}}')
  const read = (): unknown => readPrices(join(workspace, '.pawl'), knownPrices)
  expect(read).toThrow(/is a link out of/)
})

test('a definition is not read through a link out of the workspace', () => {
  const definition = { id: 'a', initial: 'z', states: { z: { type: 'final' } } }
  const workspace = workspaceWith('definitions/a.json', JSON.stringify(definition))
  expect(definitionsIn(workspace)).toEqual([])
  writeFileSync(join(workspace, '.pawl', 'definitions', 'b.json'), JSON.stringify(definition))
  expect(definitionsIn(workspace)).toHaveLength(1)
})
