/**
 * Codex. Its hooks have the names and payloads of Claude Code's.
 */
import { claudeHost } from './claude.ts'
import { type HostDescriptor, none } from './host-descriptor.ts'

/** Namespaces in front of the tools for sub-agents, as hooks see them. */
const agentSpaces = ['', 'collaboration', 'multi_agent_v1']

/** Sub-agents that exist. Hooks see these names alone, or behind their namespace. */
const agentTools = [
  ...['wait_agent', 'close_agent', 'send_input', 'resume_agent', 'send_message', 'followup_task'],
  ...['interrupt_agent', 'list_agents'],
]

export const codexHost = {
  id: 'codex',
  title: 'Codex',
  program: 'codex',
  packages: ['@openai/codex'],
  tryCommand: 'codex exec -s workspace-write "write hello into hello.txt"',
  tools: {
    common: {
      Bash: [
        ...['Bash', 'shell', 'local_shell', 'shell_command', 'exec_command', 'write_stdin'],
        'container.exec',
      ],
      Edit: ['apply_patch'],
      Read: ['view_image', 'read_file'],
      Grep: ['grep_files'],
      LS: ['list_dir'],
      WebSearch: ['web_search'],
      Agent: agentSpaces.map((space) => `${space}spawn_agent`),
      TodoWrite: ['update_plan'],
      AskUserQuestion: ['request_user_input'],
    },
    shell: 'Bash',
    patches: ['apply_patch'],
    viewers: none('it edits by patches'),
    servers: none('it uses `mcp__server__tool`'),
    // It writes `_` for what the name of a function cannot have.
    dashes: 'underscores',
    lacks: ['Read', 'Grep', 'Glob', 'LS'],
    free: {
      notes: ['update_plan', 'get_goal', 'create_goal', 'update_goal', 'get_context_remaining'],
      search: ['tool_search'],
      // WHY not `write_stdin`: what is typed into a terminal is a command.
      started: [
        'wait',
        ...agentSpaces.flatMap((space) => agentTools.map((name) => `${space}${name}`)),
      ],
      resources: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource'],
      serverField: 'server',
    },
  },
  offered: {
    ...{ Bash: 'exec_command', Edit: 'apply_patch', WebSearch: 'web_search' },
    ...{ Agent: 'spawn_agent', TodoWrite: 'update_plan', AskUserQuestion: 'request_user_input' },
  },
  readsToolsOnce: true,
  folder: '.codex',
  hooksFile: '.codex/hooks.json',
  serversFile: '.codex/config.toml',
  serversKey: none('the file is TOML: Pawl writes its own block in it'),
  userHooks: {
    folder: '.codex',
    variable: { name: 'CODEX_HOME', below: '.' },
    file: 'hooks.json',
    startVariable: none('its hooks are started where it was'),
  },
  offSwitches: none('Codex itself reports whether its hooks are trusted'),
  otherSettings: none(
    'its settings are TOML, and Codex itself reports whether its hooks are trusted',
  ),
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: ['.codex/**'],
    home: none('its files there are already protected anywhere'),
    root: ['etc/codex/**'],
  },
  pathWords: ['codex'],
  hiddenInHome: ['.codex'],
  readOnlyInWorkspace: ['.codex'],
  box: {
    state: ['.codex'],
    variables: ['OPENAI_', 'CODEX_'],
    guides: [
      ...['.codex/config.toml', '.codex/hooks.json', '.codex/hooks', '.codex/rules'],
      ...['.codex/prompts', '.codex/skills', '.codex/agents', '.codex/plugins', '.codex/.env'],
      ...['.codex/AGENTS.md', '.codex/AGENTS.override.md'],
    ],
    emptyFiles: none('it ignores folders there'),
    settings: { kind: 'overrides', flag: '-c', trust: 'hooks.state' },
    hooksOff: {
      flags: ['--disable', 'features', 'features.hooks'],
      variables: none('it has no such variable'),
    },
  },
  environmentMarks: [
    ...['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI', 'CODEX_THREAD_ID'],
  ],
  events: claudeHost.events,
  installedEvents: [
    ...['PreToolUse', 'PostToolUse', 'PermissionRequest', 'UserPromptSubmit', 'SessionStart'],
    ...['SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: true,
  waitSecondsMax: 50,
  model: {
    endpoints: ['api.openai.com', 'chatgpt.com'],
    baseUrlVariable: none('set `model_providers.NAME.base_url` in its `config.toml`'),
  },
  limits: [
    'text typed into an already open terminal (write_stdin) reaches no hook: use isolation, ' +
      'and do not allow shells or interpreters by name',
    '`web_search` runs at the provider and reaches no hook, so no rule on `web` stops it: ' +
      '`web_search = "disabled"` in its `config.toml` does',
    'hooks that the user has not trusted are skipped silently; `pawl init` has them trusted',
  ],
  proof: { version: '0.166.0' },
} satisfies HostDescriptor
