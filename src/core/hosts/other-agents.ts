/**
 * Agents and editors that Pawl has no hooks for. Their settings are protected all the same: what
 * they name is run unasked, perhaps by an agent that Pawl does not hold. An agent's shell cannot
 * start them either.
 */
import type { Texts } from './host-descriptor.ts'
import { none } from './host-descriptor.ts'

/** A program that runs an agent. */
export type OtherAgent = {
  readonly program: string
  /** The packages that bring it, from whichever registry. */
  readonly packages: Texts
  /**
   * The first words by which it runs an agent, where another well-known program has the same name;
   * without a word it counts as well.
   */
  readonly verbs: Texts
}

const always = none('no other well-known program has its name')

export const otherAgents: readonly OtherAgent[] = [
  { program: 'aider', packages: ['aider-chat', 'aider-install'], verbs: always },
  // `goose up` migrates a database.
  {
    program: 'goose',
    packages: none('it is brought by a script'),
    verbs: ['session', 'run', 'web', 'acp', 'schedule', 'recipe', 'configure', 'term', 'serve'],
  },
  { program: 'amp', packages: ['@sourcegraph/amp'], verbs: always },
  { program: 'crush', packages: ['@charmland/crush'], verbs: always },
  // `q 'SELECT …' file` asks a table.
  {
    program: 'q',
    packages: none('it is brought by an installer'),
    verbs: ['chat', 'translate', 'agent', 'mcp'],
  },
  { program: 'kiro-cli', packages: none('it is brought by an installer'), verbs: always },
  { program: 'cn', packages: ['@continuedev/cli'], verbs: always },
  // The older Kimi CLI; the descriptor has its successor.
  { program: 'kimi', packages: ['kimi-cli'], verbs: always },
  // Pi until 0.73; the descriptor has its newer name.
  { program: 'pi', packages: ['@mariozechner/pi-coding-agent'], verbs: always },
  { program: 'cursor-agent', packages: none('it is brought by a script'), verbs: always },
  { program: 'droid', packages: ['@factory/cli', 'droid'], verbs: always },
  { program: 'auggie', packages: ['@augmentcode/auggie'], verbs: always },
  { program: 'codebuff', packages: ['codebuff', '@codebuff/cli'], verbs: always },
  { program: 'gptme', packages: ['gptme'], verbs: always },
  { program: 'openhands', packages: ['openhands-ai', 'openhands'], verbs: always },
  { program: 'plandex', packages: none('it is brought by a script'), verbs: always },
  { program: 'iflow', packages: ['@iflow-ai/iflow-cli'], verbs: always },
  { program: 'jules', packages: ['@google/jules'], verbs: always },
]

/** Files that no agent may change, in whatever folder they are. */
export const otherAgentFiles: readonly string[] = [
  '.agents/skills/**',
  ...['.vscode/settings.json', '.vscode/tasks.json', '.vscode/mcp.json', '.vscode/launch.json'],
  ...['.windsurf/hooks.json', '.kiro/hooks/**', '.kiro/settings/**'],
  ...['.roo/mcp.json', '.amazonq/**', '.factory/settings*.json'],
]
