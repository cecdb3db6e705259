/**
 * Writes the JSON Schemas that editors use and the description of the API, from the schemas that
 * Pawl itself checks with.
 * `node scripts/write-schemas.ts` writes them, `--check` fails when they are out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { z } from 'zod'
import { processSchema } from '../src/core/dialects/process/schema.ts'
import { envelopeSchema, stepsSchema } from '../src/core/dialects/steps/schema.ts'
import { workflowSchema } from '../src/core/dialects/workflow/schema.ts'
import { policySchema } from '../src/core/policy/schema.ts'
import { openApiText } from '../src/doors/api/open-api.ts'
import { casesSchema } from '../src/testing/case-schema.ts'

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'schemas')

const published = {
  process: { schema: processSchema, title: 'Pawl process' },
  workflow: { schema: workflowSchema, title: 'Pawl workflow' },
  steps: { schema: z.union([stepsSchema, envelopeSchema]), title: 'Pawl form of steps' },
  policy: { schema: policySchema, title: 'Pawl policy' },
  cases: { schema: casesSchema, title: 'Pawl cases' },
} as const

export type SchemaName = keyof typeof published
export const schemaNames = Object.keys(published) as SchemaName[]

type JsonSchema = { [key: string]: unknown }

/** Where a schema is kept. */
export function schemaFile(name: SchemaName): string {
  return join(folder, `${name}.schema.json`)
}

/** The text of one published schema. */
export function schemaText(name: SchemaName): string {
  const { schema, title } = published[name]
  const made = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    reused: 'inline',
    unrepresentable: 'throw',
    override: ({ jsonSchema }) => {
      // WHY: the author's own notes are free in Pawl, so an editor must not underline them.
      if (jsonSchema.additionalProperties !== false) return
      jsonSchema.patternProperties = { '^x-': {}, '^\\$(schema|comment)$': {} }
    },
  }) as JsonSchema
  const { $schema, $defs, id: _, ...rest } = made
  const head = { $schema, $id: `https://pawl.dev/schemas/${name}.schema.json`, title }
  const whole = $defs === undefined ? { ...head, ...rest } : { ...head, ...rest, $defs }
  return `${JSON.stringify(withNulls(withoutNoise(whole)), null, 2)}\n`
}

/** WHY: the largest safe integer says nothing to an author, and `id` is no word of JSON Schema. */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise)
  if (typeof value !== 'object' || value === null) return value
  const out: JsonSchema = {}
  for (const [key, member] of Object.entries(value)) {
    if (key === 'maximum' && member === Number.MAX_SAFE_INTEGER) continue
    if (key === 'minimum' && member === Number.MIN_SAFE_INTEGER) continue
    if (key === 'id' && typeof member === 'string') continue
    out[key] = withoutNoise(member)
  }
  return out
}

/** WHY: in Pawl `null` in a field that may be left out says the same as leaving it out. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls)
  if (typeof value !== 'object' || value === null) return value
  const out = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withNulls(member)]),
  ) as JsonSchema
  const { properties, required } = out
  if (typeof properties !== 'object' || properties === null || out.type !== 'object') return out
  const needed = new Set(Array.isArray(required) ? required : [])
  out.properties = Object.fromEntries(
    Object.entries(properties).map(([key, field]) => [
      key,
      needed.has(key) ? field : orNull(field as JsonSchema),
    ]),
  )
  return out
}

function orNull(field: JsonSchema): JsonSchema {
  const { description, ...rest } = field
  if (Object.keys(rest).length === 0) return field
  // WHY not with `enum` and `const`: they would have to list it, too.
  const isPlain = typeof rest.type === 'string' && !('enum' in rest) && !('const' in rest)
  if (isPlain) return { ...field, type: [rest.type, 'null'] }
  const about = description === undefined ? {} : { description }
  return { ...about, anyOf: [rest, { type: 'null' }] }
}

/** Everything that is written: where it is kept, and its text. */
function publishedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...schemaNames.map((name) => [schemaFile(name), schemaText(name)] as const),
    [join(folder, 'openapi.json'), openApiText()],
  ])
}

/** The names of files that are not what they should be. */
export function staleSchemas(): string[] {
  return [...publishedFiles()]
    .filter(([file, text]) => readText(file) !== text)
    .map(([file]) => basename(file))
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A file that is not there is as stale as can be.
    return null
  }
}

function main(): void {
  if (process.argv.includes('--check')) {
    const stale = staleSchemas()
    if (stale.length === 0) return
    process.stderr.write(`out of date: ${stale.join(', ')}; run \`npm run schemas\`\n`)
    process.exitCode = 1
    return
  }
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of publishedFiles()) writeFileSync(file, text)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
