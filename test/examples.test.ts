/**
 * The examples and the definitions of the source documents: all of them are accepted, the cases
 * of the examples pass and walk through every state and every way.
 */
import { readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { compileDefinition } from '../src/core/dialects/compile-definition.ts'
import { readSource } from '../src/core/source/read-source.ts'
import { checkFile } from '../src/doors/cli/check-file.ts'
import { openLibraries } from '../src/runtime/definitions/definition-library.ts'
import { readDefinition } from '../src/runtime/definitions/read-definition.ts'
import type { Coverage } from '../src/testing/coverage.ts'
import { mergeCoverage } from '../src/testing/coverage.ts'
import { playCase } from '../src/testing/play-case.ts'
import { caseFilesIn, loadCases, loadFolder, tellFindings } from './definitions/load.ts'

const root = join(import.meta.dirname, '..')
const examplesFolder = join(root, 'examples')
const dialects = ['process', 'workflow', 'steps']
const examples = dialects.flatMap((dialect) => loadFolder(join(examplesFolder, dialect)))
const references = loadFolder(join(import.meta.dirname, 'definitions', 'reference'))

const named = <T extends { readonly file: string }>(list: readonly T[]) =>
  list.map((one) => [relative(root, one.file), one] as const)

test.each(named(examples))('%s has neither errors nor warnings', (_, example) => {
  expect(tellFindings(example)).toEqual([])
  expect(example.machines).toHaveLength(1)
})

test.each(named(examples))('%s points its editor to the schema of its dialect', (_, example) => {
  const dialect = example.machines[0]?.dialect
  expect(example.text).toContain(`../../schemas/${dialect}.schema.json`)
})

test('there are two examples or more for each dialect', () => {
  for (const dialect of dialects) {
    const own = examples.filter((one) => one.machines[0]?.dialect === dialect)
    expect(own.length).toBeGreaterThanOrEqual(2)
  }
})

const caseFiles = caseFilesIn(examplesFolder)

test('each example has cases beside it', () => {
  const covered = caseFiles.map((file) => file.replace('.cases.', '.'))
  expect(covered.sort()).toEqual(examples.map((one) => one.file).sort())
})

test('the policy has neither errors nor warnings', () => {
  const path = join(examplesFolder, 'policy', 'team.json')
  expect(checkFile(readDefinition(path), openLibraries()(path)).findings).toEqual([])
})

const cases = caseFiles.flatMap((file) =>
  loadCases(file).map((source) => ({ file, source, id: source.case.id })),
)

test.each(cases.map((one) => [one.id, one] as const))('the case %s passes', (_, one) => {
  expect(playCase(one.source).failures).toEqual([])
})

test('no two cases have the same id', () => {
  const ids = cases.map((one) => one.id)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each(caseFiles.map((file) => [basename(file), file] as const))(
  '%s walks every stage and every route',
  (_, file) => {
    const walked = cases
      .filter((one) => one.file === file)
      .map((one) => playCase(one.source).coverage)
      .filter((one): one is Coverage => one !== null)
      .reduce(mergeCoverage)
    expect([...walked.stages.seen].sort()).toEqual([...walked.stages.all].sort())
    expect([...walked.routes.seen].sort()).toEqual([...walked.routes.all].sort())
  },
)

test.each(named(references))('%s of the source documents has no errors', (_, reference) => {
  const errors = tellFindings(reference).filter((one) => one.severity === 'error')
  expect(errors).toEqual([])
  expect(reference.machines.length).toBeGreaterThan(0)
})

test.each(named(references))('%s has no field that nobody knows', (_, reference) => {
  const unknown = reference.findings.filter((one) => one.code.startsWith('FIELD_'))
  // A task of a type that Pawl does not run is no unknown field, but told in the same way.
  expect(unknown.filter((one) => !one.message.includes('skipped'))).toEqual([])
})

test('what the source documents do carelessly is remarked on', () => {
  const told = references.flatMap((one) =>
    tellFindings(one).map(({ code, line }) => `${basename(one.file)}:${line} ${code}`),
  )
  expect(told.sort()).toEqual([
    'deploy-pipeline-guards.json:13 GUARD_UNSATISFIABLE',
    'deploy-pipeline.json:23 ESCALATION_UNGATED',
    'deploy-pipeline.json:25 ESCALATION_UNGATED',
    'deploy-pipeline.json:29 CYCLE_WITHOUT_LIMIT',
    'deploy-pipeline.json:69 GUARD_SELF_REPORTED',
    'deploy-pipeline.json:74 GUARD_SELF_REPORTED',
    'every-envelope-field.json:33 FIELD_UNKNOWN',
    'every-envelope-field.json:34 FIELD_UNKNOWN',
    'every-envelope-field.json:35 FIELD_UNKNOWN',
    'every-workflow-field.json:13 DEBUG_ENABLED',
    'every-workflow-field.json:26 ESCALATION_UNGATED',
    'every-workflow-field.json:27 ESCALATION_UNGATED',
    'every-workflow-field.json:29 CYCLE_WITHOUT_LIMIT',
  ])
})

test('the definitions in the guide have neither errors nor warnings', () => {
  const guide = readFileSync(join(root, 'docs', 'guides', 'writing-definitions.md'), 'utf8')
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  const definitions = blocks.filter((text) => !text.startsWith('- id:'))
  expect(definitions).toHaveLength(3)
  for (const text of definitions) {
    const read = readSource(text, 'yaml')
    const compiled = compileDefinition(read.root!)
    expect([...read.findings, ...compiled.findings]).toEqual([])
  }
})
