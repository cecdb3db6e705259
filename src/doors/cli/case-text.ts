/**
 * Reads the text of cases. It is freer than that of a definition in two ways: what an agent sends
 * may be named as no author may name anything, and what is wrong inside a definition is the
 * definition's fault, which a case may be about.
 */
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import type { Finding } from '../../core/finding.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { emptyRecord } from '../../core/json.ts'
import { readSource } from '../../core/source/read-source.ts'
import { lineIndex, type Node, plainValue } from '../../core/source/source.ts'
import { formatOf, type SourceFile } from '../../runtime/read-definition.ts'

/** A key that the reader of definitions leaves out, because it reaches into objects. */
const forbiddenKey = '__proto__'
/** As long as that key, so that every place in the text stays where it is. */
const standIn = '\u{E000}'.repeat(forbiddenKey.length)

const inWhatIsSent = /^(\/\d+)?\/(steps|start)\//
const inDefinition = /^((?:\/\d+)?)\/(definition|definitions\/[^/]+)\//

/** The same file with forbidden keys kept under another name, where an agent sends them. */
export function keepSentKeys(file: SourceFile): SourceFile {
  const { text } = file.lines
  const offsets = file.findings.flatMap((one) =>
    one.code === 'RESERVED_NAME' && inWhatIsSent.test(one.pointer) ? [one.offset ?? -1] : [],
  )
  if (offsets.length === 0 || text.includes(standIn)) return file
  let changed = text
  for (const offset of offsets) {
    // The key may stand in quotes; written with escapes it is not found, and stays refused.
    const at = text.indexOf(forbiddenKey, offset)
    if (offset < 0 || at < 0 || at > offset + 1) return file
    changed = changed.slice(0, at) + standIn + changed.slice(at + standIn.length)
  }
  const { root, findings } = readSource(changed, formatOf(file.path))
  return { ...file, root, findings, lines: lineIndex(text) }
}

/** The plain value of a case, with the keys it was written with. */
export function caseValue(node: Node): Json {
  return restored(plainValue(node))
}

function restored(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(restored)
  // WHY: without a prototype, the forbidden key is a key like any other.
  const record = emptyRecord<Json>()
  for (const [key, part] of Object.entries(value as JsonObject)) {
    record[key === standIn ? forbiddenKey : key] = restored(part)
  }
  return record
}

export type Blame = {
  /** What is wrong with the file of cases. */
  readonly ofFile: readonly Finding[]
  /** What is wrong with definitions in it, by the pointer of their case. */
  readonly ofCases: ReadonlyMap<string, readonly Finding[]>
}

/** Divides what the reader found between the file and the definitions inside its cases. */
export function shareBlame(findings: readonly Finding[]): Blame {
  const ofFile: Finding[] = []
  const ofCases = new Map<string, Finding[]>()
  for (const one of findings) {
    const [, owner, part] = inDefinition.exec(one.pointer) ?? []
    if (owner === undefined || part === undefined) {
      ofFile.push(one)
      continue
    }
    const pointer = one.pointer.slice(owner.length + 1 + part.length)
    const list = ofCases.get(owner) ?? []
    ofCases.set(owner, [...list, { ...one, pointer }])
  }
  return { ofFile, ofCases }
}

/** Everything about a definition whose text is at fault: that, and what else there is. */
export function faultyFindings(
  definition: Node | null,
  found: readonly Finding[],
): readonly Finding[] {
  return definition === null ? found : [...found, ...compileDefinition(definition).findings]
}
