/**
 * Records the logs of the example cases under `histories/VERSION/`, once per release: `node
 * scripts/write-histories.ts`. Existing files are never rewritten, because every log that a
 * released Pawl wrote must fold to the same state forever.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { playCase } from '../src/testing/play-case.ts'
import { caseFilesIn, loadCases } from '../test/definitions/load.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}
const folder = join(root, 'histories', version)

mkdirSync(folder, { recursive: true })
for (const file of caseFilesIn(join(root, 'examples'))) {
  const name = basename(file).replace(/\.cases\.\w+$/, '')
  const target = join(folder, `${name}.jsonl`)
  if (existsSync(target)) continue
  const lines = loadCases(file).flatMap((source) => {
    const { id, log, family } = playCase(source)
    const states = family?.members.map(({ runId, state }) => ({ runId, state })) ?? []
    return [{ case: id }, ...log, ...states].map((line) => JSON.stringify(line))
  })
  writeFileSync(target, `${lines.join('\n')}\n`)
  console.log(`wrote ${target}`)
}
