/**
 * Reads definitions and cases from files and tells their findings with line and column, the way
 * a door does. For tests only; knows files, and no dialect.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { compileDefinition } from '../../src/core/dialects/compile-definition.ts'
import type { Finding } from '../../src/core/finding.ts'
import { hasErrors } from '../../src/core/finding.ts'
import { linkMachine } from '../../src/core/machine/check.ts'
import type { Machine } from '../../src/core/machine/machine.ts'
import { readSource } from '../../src/core/source/read-source.ts'
import type { Node } from '../../src/core/source/source.ts'
import { member, plainValue, positionAt, positionOf } from '../../src/core/source/source.ts'
import type { Case } from '../../src/testing/case-schema.ts'
import { checkCases } from '../../src/testing/case-schema.ts'
import type { CaseSource } from '../../src/testing/play-case.ts'
import { caseSource } from '../../src/testing/play-case.ts'

export type Loaded = {
  readonly file: string
  readonly text: string
  readonly root: Node | null
  readonly machines: readonly Machine[]
  readonly findings: readonly Finding[]
}

export type FindingAtLine = Finding & { readonly line: number; readonly column: number }

/** Every definition below a folder, compiled and linked with all the others there. */
export function loadFolder(folder: string): readonly Loaded[] {
  const loaded = filesIn(folder)
    .filter((file) => !isCaseFile(file))
    .map(load)
  const library = new Map(loaded.flatMap((one) => one.machines).map((one) => [one.name, one]))
  return loaded.map((one) => {
    const names = [...library.keys()]
    const linked = one.machines.flatMap((machine) => {
      return linkMachine(machine, (name) => library.get(name), names)
    })
    return { ...one, findings: [...one.findings, ...linked] }
  })
}

/** The files of cases below a folder. */
export function caseFilesIn(folder: string): readonly string[] {
  return filesIn(folder).filter(isCaseFile)
}

/** The definitions and files of cases below a folder, in a fixed order. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(json|yaml)$/.test(file) && basename(file) !== 'expected.json')
    .map((file) => join(folder, file))
    .sort()
}

function isCaseFile(file: string): boolean {
  return /\.cases\.(json|yaml)$/.test(file)
}

function load(file: string): Loaded {
  const text = readFileSync(file, 'utf8')
  const { root, findings } = readSource(text, file.endsWith('.json') ? 'json' : 'yaml')
  if (root === null) return { file, text, root, machines: [], findings }
  const compiled = compileDefinition(root)
  const all = [...findings, ...compiled.findings]
  // A text with a doubled or reserved key has a tree, and still must not run.
  return { file, text, root, machines: hasErrors(all) ? [] : compiled.machines, findings: all }
}

/** The findings of a file with their places in its text. */
export function tellFindings({ text, root, findings }: Loaded): readonly FindingAtLine[] {
  return findings.map((one) => {
    const place = positionOf(root, one)
    const position = place === null ? { line: 0, column: 0 } : positionAt(text, place.start)
    return { ...one, ...position }
  })
}

/** The cases of a file, with the definitions beside it; throws when it can not be read. */
export function loadCases(file: string): readonly CaseSource[] {
  const { root, findings } = readSource(readFileSync(file, 'utf8'))
  if (root === null) throw new Error(`${file}: ${findings[0]?.message}`)
  const wrong = checkCases(root)[0]
  if (wrong !== undefined) throw new Error(`${file}: ${wrong.pointer}: ${wrong.message}`)
  const neighbours = new Map(loadFolder(dirname(file)).flatMap(namedRoots))
  const nodes = root.kind === 'list' ? root.items : [root]
  return nodes.map((node) => {
    const path = member(node, 'definition_file')
    const name = path?.kind === 'scalar' ? String(path.value) : ''
    const definition = readSource(readFileSync(resolve(dirname(file), name), 'utf8')).root
    const source = caseSource(plainValue(node) as unknown as Case, node, definition)
    return { ...source, definitions: new Map([...neighbours, ...source.definitions]) }
  })
}

function namedRoots({ root, machines }: Loaded): (readonly [string, Node])[] {
  return root === null ? [] : machines.map((machine) => [machine.name, root] as const)
}
