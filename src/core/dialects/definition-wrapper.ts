/**
 * A definition inside a template file: `{ "definition": …, "upstream_servers": [ … ] }`. Reads the
 * definition out of it, and the servers that belong behind the gateway.
 */
import { z } from 'zod'
import type { Finding } from '../finding.ts'
import { readSource, type SourceFormat } from '../source/read-source.ts'
import { member, type Node, positionOf } from '../source/source.ts'
import type { SourceReading } from '../source/text-rules.ts'
import { hasField } from './explicit-null.ts'
import { checkTree, readTree } from './validate-tree.ts'

const serverSchema = z.object({
  name: z.string().min(1).describe('Its name, unique among the servers behind the gateway.'),
  command: z.string().min(1).describe('The program that runs it.'),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
})

const wrapperSchema = z.object({
  definition: z.unknown().describe('The definition itself.'),
  upstream_servers: z.array(serverSchema).optional().describe('MCP servers for the gateway.'),
  name: z.string().optional(),
  description: z.string().optional(),
})

export type UpstreamServer = z.infer<typeof serverSchema>

/** Fields that only a definition or a case has at its top. */
const ownFields = ['states', 'steps', 'initial', 'check']

function wrappedIn(root: Node): Node | null {
  const inner = member(root, 'definition')
  if (inner?.kind !== 'object' || ownFields.some((key) => hasField(root, key))) return null
  return inner
}

/** The tree of a definition's text; of a template file, the tree of the definition inside it. */
export function readDefinitionSource(text: string, format?: SourceFormat): SourceReading {
  const { root, findings } = readSource(text, format)
  const inner = root === null ? null : wrappedIn(root)
  if (root === null || inner === null) return { root, findings }
  const about = checkTree(wrapperSchema, root).findings.map((one) => placed(one, root))
  return { root: inner, findings: [...findings, ...about] }
}

/** WHY: pointers of findings begin at the definition, and these stand around it. */
function placed(finding: Finding, root: Node): Finding {
  const { pointer: _, ...rest } = finding
  return { ...rest, pointer: '', offset: positionOf(root, finding)?.start ?? 0 }
}

/** The servers that a template file names; empty where it is none, or has errors. */
export function upstreamServersOf(text: string): readonly UpstreamServer[] {
  const { root } = readSource(text)
  if (root === null || wrappedIn(root) === null) return []
  return readTree(wrapperSchema, root).value?.upstream_servers ?? []
}
