/**
 * The programs that `npm run test:hosts` proves Pawl with, and which versions of them.
 * Each goes into a folder of its own, so that they don't share dependencies.
 */

export type Package = {
  /** The folder under the root; for hosts, the name of the program as well. */
  readonly folder: string
  readonly packages: readonly string[]
  /** The program that must be there afterwards. */
  readonly program: string
}

export const packages: readonly Package[] = [
  { folder: 'claude', packages: ['@anthropic-ai/claude-code@2.1.325'], program: 'claude' },
  { folder: 'codex', packages: ['@openai/codex@0.166.0'], program: 'codex' },
  { folder: 'gemini', packages: ['@google/gemini-cli@0.61.0'], program: 'gemini' },
  { folder: 'opencode', packages: ['opencode-ai@1.18.33'], program: 'opencode' },
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
