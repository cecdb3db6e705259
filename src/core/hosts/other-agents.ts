/**
 * Agents and editors that Pawl has no hooks for. Their settings are protected all the same: what
 * they name is run unasked, perhaps by an agent that Pawl does not hold.
 */

/** Files that no agent may change, in whatever folder they are. */
export const otherAgentFiles: readonly string[] = [
  '.agents/skills/**',
  ...['.vscode/settings.json', '.vscode/tasks.json', '.vscode/mcp.json', '.vscode/launch.json'],
  ...['.windsurf/hooks.json', '.kiro/hooks/**', '.kiro/settings/**', '.clinerules/hooks/**'],
  ...['.roo/mcp.json', '.amazonq/**', '.factory/settings*.json', '.github/hooks/**'],
]
