/**
 * A requirement as authors write it, the same in every dialect and in policies. Knows field names
 * and types, and what they mean.
 */
import { z } from 'zod'
import { withPick } from '../dialects/validate-tree.ts'
import { type Finding, finding, joinPointer } from '../finding.ts'
import { readShell } from '../shell/read-shell.ts'
import { type EvidenceRequirement, type EvidenceSubject, evidenceGrades } from './requirement.ts'

const anyFailure = z.literal('nonzero')
const exitCode = z.int().min(0).max(255)
const exitSchema = withPick(z.union([anyFailure, exitCode]), (node) =>
  node.kind === 'scalar' && typeof node.value === 'string' ? anyFailure : exitCode,
)

/** The fields of a requirement, for a schema that has others beside them. */
export const evidenceFields = {
  evidence: z
    .string()
    .min(1)
    .max(4_096)
    .describe('The command that Pawl must have seen: one simple command, without pipes or lists.'),
  exit: exitSchema
    .optional()
    .describe('The exit code: a number, or `nonzero` for any failure. Default: 0.'),
  tests_min: z
    .int()
    .min(1)
    .optional()
    .describe('How many tests must have run, as the test runner says.'),
  report: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A JUnit XML report that the command writes, or a folder of them, relative to the ' +
        'workspace. The tests are counted there, and not in the output.',
    ),
  fresh: z
    .boolean()
    .optional()
    .describe('No file of the workspace may have changed since the command began.'),
  within_seconds: z.number().gt(0).optional().describe('How old the evidence may be, in seconds.'),
  grade: z
    .enum(evidenceGrades)
    .optional()
    .describe(
      'Who must have seen it at least: `job` (Pawl ran the command itself), `host` (the hook of ' +
        'the host reported it; the default) or `claimed` (the agent says so).',
    ),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe('Where the command must run, relative to the workspace. Default: `.`'),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe('Variables that must be set for the command. No others may be set for it.'),
} as const

/** One requirement. */
export const evidenceSchema = z.object(evidenceFields).meta({ id: 'evidence' })

export type EvidenceDefinition = z.infer<typeof evidenceSchema>

/** What no run could ever meet, at its place. */
export function checkEvidenceDefinition(written: EvidenceDefinition, at: string): Finding[] {
  const reading = readShell(written.evidence)
  if (!reading.ok || reading.single === null) {
    const message = `\`${written.evidence}\` is not one simple command, so nothing can prove it`
    const hint = 'name one command without `&&`, `||`, `;`, pipes, redirections or variables'
    return [finding('SCHEMA_INVALID', joinPointer(at, 'evidence'), { message, hint })]
  }
  if (folderFrom(written.folder ?? '.') === null) {
    const message = `\`${written.folder}\` is not a folder inside the workspace`
    const hint = 'write it relative to the workspace, e.g. `packages/api`'
    return [finding('SCHEMA_INVALID', joinPointer(at, 'folder'), { message, hint })]
  }
  const { report } = written
  if (report !== undefined && (folderFrom(report) ?? '.') === '.') {
    const message = `\`${report}\` is not a file or folder inside the workspace`
    const hint = 'write it relative to the workspace, e.g. `test-results/junit.xml`'
    return [finding('SCHEMA_INVALID', joinPointer(at, 'report'), { message, hint })]
  }
  return []
}

/** The requirement that a definition means. */
export function compileEvidence(written: EvidenceDefinition): EvidenceRequirement {
  const report = written.report === undefined ? null : folderFrom(written.report)
  return {
    command: written.evidence,
    subject: subjectOf(written),
    exit: written.exit ?? 0,
    testsMin: written.tests_min ?? null,
    isFresh: written.fresh ?? false,
    ageMsMax: written.within_seconds === undefined ? null : written.within_seconds * 1000,
    grade: written.grade ?? 'host',
    ...(report === null ? {} : { report }),
  }
}

function subjectOf({ evidence, folder, env }: EvidenceDefinition): EvidenceSubject | null {
  const reading = readShell(evidence)
  const single = reading.ok ? reading.single : null
  const place = folderFrom(folder ?? '.')
  if (single === null || place === null) return null
  return { words: single.words, folder: place, environment: { ...env, ...single.environment } }
}

/** A folder inside the workspace in its one spelling; null: it leads out. */
export function folderFrom(written: string): string | null {
  if (written.startsWith('/')) return null
  const parts: string[] = []
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/') || '.'
}

/** The definition that compiles to a requirement, without what is the default. */
export function printEvidence(one: EvidenceRequirement): EvidenceDefinition {
  const folder = one.subject?.folder ?? '.'
  const reading = readShell(one.command)
  const written = reading.ok ? (reading.single?.environment ?? {}) : {}
  const env = Object.entries(one.subject?.environment ?? {}).filter(
    ([name]) => !Object.hasOwn(written, name),
  )
  return {
    evidence: one.command,
    exit: one.exit,
    ...(one.testsMin === null ? {} : { tests_min: one.testsMin }),
    ...(one.report === undefined ? {} : { report: one.report }),
    ...(one.isFresh ? { fresh: true } : {}),
    ...(one.ageMsMax === null ? {} : { within_seconds: one.ageMsMax / 1000 }),
    ...(one.grade === 'host' ? {} : { grade: one.grade }),
    ...(folder === '.' ? {} : { folder }),
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }),
  }
}
