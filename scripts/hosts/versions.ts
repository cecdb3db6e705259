/**
 * The programs that `npm run test:hosts` proves Pawl with, and which versions of them.
 * Each goes into a folder of its own, so that they don't share dependencies.
 */
import {
  type AgentHostId,
  agentHostIds,
  agentHosts,
  listIn,
} from '../../src/core/hosts/registry.ts'

export type Package = {
  /** The folder under the root; for hosts, their id. */
  readonly folder: string
  readonly packages: readonly string[]
  /** The program that must be there afterwards. */
  readonly program: string
}

/** A host in the version that its descriptor names. */
function packageOf(id: AgentHostId): readonly Package[] {
  const { packages: names, program, proof } = agentHosts[id]
  if (!('version' in proof)) return []
  return [
    { folder: id, packages: listIn(names).map((name) => `${name}@${proof.version}`), program },
  ]
}

export const packages: readonly Package[] = [
  ...agentHostIds.flatMap(packageOf),
  // It has no program of its own: that of a package that it needs shows that it is there.
  {
    folder: 'agent-sdk',
    packages: ['@anthropic-ai/claude-agent-sdk@0.3.325'],
    program: 'anthropic-ai-sdk',
  },
  {
    folder: 'mcp',
    packages: ['@modelcontextprotocol/server-filesystem@2026.8.31'],
    program: 'mcp-server-filesystem',
  },
  {
    folder: 'mcp',
    packages: ['@modelcontextprotocol/conformance@0.1.16'],
    program: 'conformance',
  },
  {
    folder: 'inspector',
    packages: ['@modelcontextprotocol/inspector@2.12.0'],
    program: 'mcp-inspector',
  },
]
