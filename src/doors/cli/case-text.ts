/**
 * Reads the text of cases. It is more lenient than reading a definition in two ways: an agent in a
 * case may send names that no author may use, and errors in a definition belong to the definition,
 * because a case may be about them.
 */
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import type { Finding } from '../../core/finding.ts'
import type { Node } from '../../core/source/source.ts'

const inWhatIsSent = /^(\/\d+)?\/(steps|start)\//
const inDefinition = /^((?:\/\d+)?)\/(definition|definitions\/[^/]+)\//

type Blame = {
  /** What is wrong with the file of cases. */
  readonly ofFile: readonly Finding[]
  /** What is wrong with definitions in it, by the pointer of their case. */
  readonly ofCases: ReadonlyMap<string, readonly Finding[]>
}

/**
 * Divides what the reader found between the file and the definitions inside its cases. What is
 * sent may be hostile, and a case is how one sees it refused.
 */
export function attributeFindings(findings: readonly Finding[]): Blame {
  const ofFile: Finding[] = []
  const ofCases = new Map<string, Finding[]>()
  for (const one of findings) {
    if (isSendable(one.code) && inWhatIsSent.test(one.pointer)) continue
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

/** Names and texts that no definition may hold, and every agent may try to send. */
function isSendable(code: Finding['code']): boolean {
  return code === 'RESERVED_NAME' || code === 'SYNTAX_INVALID'
}

/** Everything about a definition whose text is at fault: that, and what else there is. */
export function faultyFindings(
  definition: Node | null,
  found: readonly Finding[],
): readonly Finding[] {
  return definition === null ? found : [...found, ...compileDefinition(definition).findings]
}
