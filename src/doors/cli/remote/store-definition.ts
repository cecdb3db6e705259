/**
 * Stores the definition of a file under its own name: for the first time, or as a new version.
 */
import { resolve } from 'node:path'
import { readDefinitionSource } from '../../../core/dialects/definition-wrapper.ts'
import { lineIndex } from '../../../core/source/source.ts'
import { compileSource } from '../../../runtime/definitions/compile-source.ts'
import { formatOf, readText } from '../../../runtime/definitions/read-definition.ts'
import type { OperationAnswer } from '../../api/contract.ts'
import { PawlProblem, type ProblemDocument } from '../../api/problem.ts'
import { counted } from '../ansi.ts'
import { shownPath } from '../find-inputs.ts'
import { type LocatedFinding, locatedText, locateFindings } from '../locate-findings.ts'
import type { RemoteContext } from './remote-verb.ts'

export type StoredDefinition = OperationAnswer<'definitions.create'>

/** Whether a word means a file: it has a folder or an ending that definitions have. */
export function isFileName(name: string): boolean {
  return name.includes('/') || formatOf(name) !== undefined
}

/** The definition as it is kept now; null: it has errors, and they were told. */
export async function storeDefinition(
  name: string,
  asked: RemoteContext,
): Promise<StoredDefinition | null> {
  const path = resolve(asked.io.cwd, name)
  const shown = shownPath(path, asked.io.cwd)
  const source = readText(path, shown)
  const format = formatOf(path) ?? null
  const offer = format === null ? { source } : { source, format }
  // WHY by the name in the text: it is the name that the daemon will find, too.
  const id = compileSource({ source, format }).names[0]
  try {
    const isKnown = id !== undefined && (await isStored(id, asked))
    if (isKnown) return await asked.remote.call('definitions.update', { id, ...offer })
    return await asked.remote.call('definitions.create', offer)
  } catch (thrown) {
    const isInvalid = thrown instanceof PawlProblem && thrown.code === 'DEFINITION_INVALID'
    if (!isInvalid) throw thrown
    tellFindings(thrown.problem, { shown, source, format }, asked)
    return null
  }
}

async function isStored(id: string, { remote }: RemoteContext): Promise<boolean> {
  try {
    await remote.call('definitions.read', { id })
    return true
  } catch (thrown) {
    if (thrown instanceof PawlProblem && thrown.code === 'DEFINITION_UNKNOWN') return false
    throw thrown
  }
}

type Text = {
  readonly shown: string
  readonly source: string
  readonly format: 'json' | 'yaml' | null
}

function tellFindings(problem: ProblemDocument, text: Text, { io, look }: RemoteContext): void {
  if (look === 'json') {
    io.out(`${JSON.stringify(problem)}\n`)
    return
  }
  const errors = locatedIn(text, problem).filter((one) => one.severity === 'error')
  for (const one of errors) io.err(`${locatedText(one, io)}\n`)
  io.err(`${counted(errors.length, 'error')}: a definition with errors is not stored\n`)
}

function locatedIn(
  { shown, source, format }: Text,
  problem: ProblemDocument,
): readonly LocatedFinding[] {
  const { root } = readDefinitionSource(source, format ?? undefined)
  const file = { path: shown, lines: lineIndex(source), root, findings: [] }
  return locateFindings(file, problem.findings ?? [])
}
