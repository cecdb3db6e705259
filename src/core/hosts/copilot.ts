/**
 * GitHub Copilot CLI. Hooks that are configured under the names of Claude Code's events get
 * payloads in that format, with the common names of tools; its model sees its own names.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const copilotHost = {
  id: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  packages: ['@github/copilot'],
  tryCommand: 'copilot --allow-all-tools -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['bash', 'Bash'],
      PowerShell: ['powershell', 'PowerShell'],
      Read: ['view', 'Read'],
      Edit: ['edit', 'Edit', 'apply_patch'],
      Write: ['create', 'Write'],
      Grep: ['grep', 'rg', 'Grep'],
      Glob: ['glob', 'Glob'],
      WebFetch: ['web_fetch', 'WebFetch'],
      WebSearch: ['web_search', 'WebSearch'],
      Agent: ['task', 'Agent'],
      TodoWrite: ['sql'],
      Skill: ['skill', 'Skill'],
      AskUserQuestion: ['ask_user', 'AskUserQuestion'],
    },
    shell: 'bash',
    // Some of its models get it in place of `edit` and `create`.
    patches: ['apply_patch'],
    viewers: none('`view` is a separate tool'),
    servers: { prefix: '', separator: '-' },
    dashes: 'kept',
    lacks: ['LS'],
    free: {
      // The todos of a session are a table in its own database. What would reach another file
      // (`ATTACH`, `VACUUM INTO`) it refuses itself.
      notes: ['sql'],
      search: none('it holds no tools back'),
      started: [
        ...['read_bash', 'list_bash', 'stop_bash', 'read_agent', 'list_agents', 'write_agent'],
      ],
      resources: none('it has no such tools'),
      serverField: none('it has no such tools'),
    },
  },
  offered: {
    ...{ Bash: 'bash', Read: 'view', Edit: 'edit', Write: 'create', Grep: 'grep', Glob: 'glob' },
    ...{ Agent: 'task', Skill: 'skill', WebFetch: 'web_fetch', AskUserQuestion: 'ask_user' },
  },
  folder: '.github/hooks',
  hooksFile: '.github/hooks/pawl.json',
  // WHY not `.mcp.json`: Claude Code reads that too, under the same name and for another host.
  serversFile: '.github/mcp.json',
  serversKey: 'mcpServers',
  userHooks: {
    folder: '.copilot',
    variable: { name: 'COPILOT_HOME', below: '.' },
    file: 'hooks/pawl.json',
    startVariable: none('its hooks are started in the root of the repository'),
  },
  offSwitches: [{ setting: 'disableAllHooks', value: true }],
  otherSettings: [
    ...['.github/copilot/settings.json', '~/.copilot/settings.json', '~/.copilot/config.json'],
  ],
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: [
      ...['.github/hooks/**', '.github/copilot/**', '.github/mcp.json', '.github/lsp.json'],
      ...['.github/skills/**', '.github/agents/**', '.github/extensions/**'],
      ...['.copilot/settings*.json', '.copilot/config.json', '.copilot/hooks/**'],
      ...['.copilot/mcp-config.json', '.copilot/lsp-config.json', '.copilot/agents/**'],
      ...['.copilot/skills/**', '.copilot/extensions/**', '.copilot/installed-plugins/**'],
      ...['.copilot/permissions-config.json', '.copilot/plugin-data/**'],
    ],
    home: none('its files there are already protected anywhere'),
    root: none('it has no settings there'),
  },
  pathWords: ['copilot', '.github'],
  hiddenInHome: ['.copilot', '.github/hooks'],
  readOnlyInWorkspace: ['.github/hooks', '.github/copilot', '.github/mcp.json'],
  box: {
    state: ['.copilot'],
    variables: ['COPILOT_', 'GH_TOKEN', 'GITHUB_TOKEN'],
    guides: [
      ...['.copilot/settings.json', '.copilot/config.json', '.copilot/hooks', '.copilot/agents'],
      ...['.copilot/mcp-config.json', '.copilot/lsp-config.json', '.copilot/skills'],
      ...['.copilot/extensions', '.copilot/installed-plugins', '.copilot/plugin-data'],
      ...['.copilot/permissions-config.json', '.copilot/copilot-instructions.md'],
    ],
    emptyFiles: none('it ignores folders there'),
    settings: none('it ends at its start if it cannot write its settings'),
    hooksOff: none('it is not started in a box'),
  },
  environmentMarks: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID'],
  events: {
    call: ['PreToolUse'],
    permission: none('it asks before `PreToolUse` has passed, under other names'),
    report: ['PostToolUse'],
    failure: ['PostToolUseFailure'],
    declined: none('it has no such event'),
    prompt: ['UserPromptSubmit'],
    begin: ['SessionStart'],
    end: ['SessionEnd'],
    stop: ['Stop'],
    'agent-begin': ['SubagentStart'],
    'agent-stop': ['SubagentStop'],
    config: none('it has no such event'),
    nothing: ['PreCompact', 'Notification', 'ErrorOccurred'],
  },
  installedEvents: [
    ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart'],
    ...['SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: true,
  waitSecondsMax: 50,
  model: {
    endpoints: ['api.githubcopilot.com', 'api.individual.githubcopilot.com'],
    baseUrlVariable: 'COPILOT_PROVIDER_BASE_URL',
  },
  limits: [
    'it runs the hooks of a folder only if its user trusts the folder; those of ' +
      '`pawl init --user` run everywhere',
    'with disableAllHooks in `.github/copilot/settings.json` or in its own settings it calls no ' +
      'hooks at all: isolation protects against that; agents cannot write these files',
    'a sub-agent of a sub-agent is denied every call while a run is open, because its hooks do ' +
      'not say which session it belongs to',
    'it names the tool of a server `SERVER-TOOL`, so the name of a server ends at its first dash ' +
      'in rules: give servers names without dashes',
    'where there is a `.mcp.json`, it ignores `.github/mcp.json`: it then uses the server `pawl` ' +
      'of Claude Code, if there is one',
  ],
  proof: { version: '1.0.102' },
} satisfies HostDescriptor
