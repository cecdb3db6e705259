/**
 * Reads files of cases, with the definitions that they name.
 * Knows files and the form of cases. Must not play them.
 */
import { dirname, resolve } from 'node:path'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import type { Finding } from '../../core/finding.ts'
import { finding, hasErrors, joinPointer } from '../../core/finding.ts'
import { member, type Node, plainValue } from '../../core/source/source.ts'
import type { Libraries } from '../../runtime/definitions/definition-library.ts'
import { isCasesName } from '../../runtime/definitions/list-files.ts'
import { readDefinition, type SourceFile } from '../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { type Case, checkCases } from '../../testing/case-schema.ts'
import { type CaseSource, caseSource } from '../../testing/play-case.ts'
import { attributeFindings, faultyFindings } from './case-text.ts'
import { documentKind, isCases, isUnfinishedCase } from './detect-document-kind.ts'
import { type InputFile, readInput, shownPath } from './find-inputs.ts'
import { type LocatedFinding, locateFindings } from './locate-findings.ts'

/** A case that can be played, or whose definition can't even be read as a tree. */
export type LoadedCase = {
  readonly case: Case
  readonly file: SourceFile
  readonly node: Node
  /** Null when the definition is in a file that has errors as text. */
  readonly source: CaseSource | null
  /** What is wrong with that text. */
  readonly findings: readonly Finding[]
  /** Where the definition stands: a file, or null when it stands in the case. */
  readonly definitionPath: string | null
}

export type CaseFile =
  | { readonly kind: 'cases'; readonly shown: string; readonly cases: readonly LoadedCase[] }
  | {
      readonly kind: 'malformed'
      readonly shown: string
      readonly findings: readonly LocatedFinding[]
    }
  | { readonly kind: 'unreadable'; readonly shown: string; readonly fault: PawlError }
  /** Met in a folder, and no file of cases. */
  | { readonly kind: 'other'; readonly shown: string }

/** What the cases of one command share, so that each file is read and compiled once. */
export type Loading = {
  readonly cwd: string
  readonly libraryOf: Libraries
  /** Definitions that cases name, by full path. */
  readonly definitions: Map<string, SourceFile | PawlError>
  readonly invoked: Map<Node, Invoked>
}

type Invoked = { readonly names: ReadonlySet<string>; readonly own: ReadonlySet<string> }

/** The cases of one file. */
export function loadCases(input: InputFile, loading: Loading): CaseFile {
  const { shown } = input
  const file = readInput(input)
  if (file instanceof PawlError) return { kind: 'unreadable', shown, fault: file }
  const { root } = file
  const isNamed = input.from === 'name' || isCasesName(input.path)
  if (root !== null && !isNamed && !isCases(root)) return { kind: 'other', shown }
  const fault = root === null ? null : noCases(root, shown)
  if (fault !== null) return { kind: 'unreadable', shown, fault }
  const blame = attributeFindings(file.findings)
  const findings = [...blame.ofFile, ...(root === null ? [] : checkCases(root))]
  if (root === null || hasErrors(findings)) {
    return { kind: 'malformed', shown, findings: locateFindings(file, findings) }
  }
  const lost: Finding[] = []
  const nodes = root.kind === 'list' ? root.items : [root]
  const cases = nodes.flatMap((node) => {
    const faulty = blame.ofCases.get(node.pointer) ?? []
    const loaded = loadCase({ file, node, path: input.path, faulty }, loading)
    if ('case' in loaded) return [loaded]
    lost.push(loaded)
    return []
  })
  if (lost.length > 0) return { kind: 'malformed', shown, findings: locateFindings(file, lost) }
  return { kind: 'cases', shown, cases }
}

/** WHY: a definition held against the form of a case would only be told what it does not know. */
function noCases(root: Node, shown: string): PawlError | null {
  const kind = documentKind(root)
  if (kind === 'cases' || kind === 'other' || isUnfinishedCase(root)) return null
  const hint =
    'a case needs `id`, `title`, `definition` or `definition_file`, and `steps`; ' +
    `to find mistakes, run \`pawl check ${shown}\``
  return new PawlError('CASE_INVALID', `\`${shown}\` is a ${kind}, not a file of cases`, { hint })
}

type CaseNode = {
  readonly file: SourceFile
  readonly node: Node
  readonly path: string
  /** What is wrong with the text of the definitions inside the case. */
  readonly faulty: readonly Finding[]
}

function loadCase(from: CaseNode, loading: Loading): LoadedCase | Finding {
  const { file, node, path, faulty } = from
  // WHY the cast: the whole file was just held against the schema that the type comes from.
  const one = plainValue(node) as unknown as Case
  const inside = { case: one, file, node, findings: [], definitionPath: null }
  if (faulty.length > 0) {
    const findings = faultyFindings(member(node, 'definition') ?? null, faulty)
    return { ...inside, source: null, findings }
  }
  if (one.definition_file === undefined) return { ...inside, source: caseSource(one, node, null) }
  const definitionPath = resolve(dirname(path), one.definition_file)
  const definition = readCached(definitionPath, loading)
  if (definition instanceof PawlError) {
    const pointer = joinPointer(node.pointer, 'definition_file')
    const { message, hint } = definition
    return finding('SCHEMA_INVALID', pointer, { message, hint })
  }
  const { root, findings } = definition
  if (root === null || hasErrors(findings)) {
    return { ...inside, definitionPath, source: null, findings: faultyFindings(root, findings) }
  }
  const source = withNeighbours(caseSource(one, node, root), definitionPath, loading)
  return { ...inside, definitionPath, source }
}

function readCached(path: string, { cwd, definitions }: Loading): SourceFile | PawlError {
  const known = definitions.get(path)
  if (known !== undefined) return known
  let read: SourceFile | PawlError
  try {
    read = readDefinition(path, shownPath(path, cwd))
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    read = fault
  }
  definitions.set(path, read)
  return read
}

/** Definitions that one case may bring in by invoking. */
const invokedMax = 1_000

/**
 * The case with the definitions that its own invokes, from the same folder; what the case gives
 * itself comes first.
 */
function withNeighbours(source: CaseSource, path: string, loading: Loading): CaseSource {
  const definitions = new Map(source.definitions)
  const library = loading.libraryOf(path)
  const work = [source.definition, ...definitions.values()]
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    const invoked = loading.invoked.get(node) ?? invokedBy(node)
    loading.invoked.set(node, invoked)
    const { names, own } = invoked
    for (const name of names) {
      if (definitions.has(name) || own.has(name) || definitions.size >= invokedMax) continue
      const found = library.definition(name)
      if (found === undefined) continue
      definitions.set(name, found.root)
      work.push(found.root)
    }
  }
  return { ...source, definitions }
}

function invokedBy(node: Node): Invoked {
  const { machines } = compileDefinition(node)
  const routes = machines
    .flatMap((machine) => Object.values(machine.stages))
    .flatMap((stage) => Object.values(stage.signals))
    .flatMap((trigger) => trigger.routes)
  const names = routes.flatMap(({ move }) => (move.kind === 'invoke' ? [move.machine] : []))
  return { names: new Set(names), own: new Set(machines.map((machine) => machine.name)) }
}

/** The text of a case's own definition, to tell equal ones from others. */
export function definitionKey(loaded: LoadedCase): string {
  if (loaded.definitionPath !== null) return loaded.definitionPath
  const inside = member(loaded.node, 'definition')
  return inside === undefined ? '' : JSON.stringify(plainValue(inside))
}
