/**
 * Definitions that people wrote, as seeds for mutation: those of the cases and the examples.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../src/core/json.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type CaseFile = readonly { definition?: Json; definitions?: Record<string, Json> }[]

function filesIn(folder: string): string[] {
  if (!existsSync(`${root}${folder}`)) return []
  const names = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
  return names.sort().map((name) => `${root}${folder}/${name}`)
}

function ofCases(): Json[] {
  const files = filesIn('cases').filter((file) => file.endsWith('.json'))
  return files.flatMap((file) => {
    const cases = JSON.parse(readFileSync(file, 'utf8')) as CaseFile
    return cases.flatMap((one) => [
      ...(one.definition === undefined ? [] : [one.definition]),
      ...Object.values(one.definitions ?? {}),
    ])
  })
}

/** Every different definition of the cases. */
export const corpus: readonly Json[] = [
  ...new Map(ofCases().map((definition) => [JSON.stringify(definition), definition])).values(),
]

/** The text of every example, JSON and YAML. */
export const exampleTexts: readonly string[] = filesIn('examples')
  .filter((file) => /\.(jsonc?|ya?ml)$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
