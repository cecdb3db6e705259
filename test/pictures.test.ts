/**
 * The pictures in the documentation are those that `pawl draw` makes of the examples today.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileDefinition } from '../src/core/dialects/compile-definition.ts'
import { pictureOf } from '../src/core/draw/picture.ts'
import { readSource } from '../src/core/source/read-source.ts'
import { printSvg } from '../src/draw/draw-svg.ts'

const root = join(import.meta.dirname, '..')

test.each([
  ['workflow/tdd-bug-fix.json', 'tdd-bug-fix.svg'],
  ['workflow/ship-service.yaml', 'ship-service.svg'],
])('the picture of %s is up to date', async (example, picture) => {
  const source = readSource(readFileSync(join(root, 'examples', example), 'utf8'))
  const machine = source.root === null ? undefined : compileDefinition(source.root).machines[0]
  expect(machine).toBeDefined()
  const drawn = machine === undefined ? '' : await printSvg(pictureOf(machine))
  const kept = readFileSync(join(root, 'docs', 'pictures', picture), 'utf8')
  expect(drawn.trimEnd()).toBe(kept.trimEnd())
})
