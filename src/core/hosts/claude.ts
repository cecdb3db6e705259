/**
 * Claude Code. Definitions use its tool names, and several hosts have borrowed its hooks.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const claudeHost = {
  id: 'claude',
  title: 'Claude Code',
  program: 'claude',
  packages: ['@anthropic-ai/claude-code'],
  tryCommand: 'claude -p "write hello into hello.txt" --permission-mode acceptEdits',
  tools: {
    common: {
      Bash: ['Bash'],
      PowerShell: ['PowerShell'],
      Monitor: ['Monitor'],
      Read: ['Read', 'NotebookRead'],
      Edit: ['Edit'],
      MultiEdit: ['MultiEdit'],
      NotebookEdit: ['NotebookEdit'],
      Write: ['Write'],
      Grep: ['Grep'],
      Glob: ['Glob'],
      LS: ['LS'],
      WebFetch: ['WebFetch'],
      WebSearch: ['WebSearch'],
      // `RemoteTrigger` starts an agent on another machine.
      Agent: ['Agent', 'Task', 'Workflow', 'RemoteTrigger'],
      TodoWrite: ['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList'],
      Skill: ['Skill'],
      AskUserQuestion: ['AskUserQuestion'],
    },
    shell: 'Bash',
    patches: none('it has no patch tool'),
    viewers: none('`Read` is a separate tool'),
    servers: none('it uses `mcp__server__tool`'),
    dashes: 'kept',
    // It has them only if it is started with `--tools`.
    lacks: ['Grep', 'Glob', 'LS'],
    free: {
      notes: [
        ...['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskGet', 'TaskList'],
        ...['EnterPlanMode', 'ExitPlanMode', 'ProposeGoal', 'StructuredOutput'],
      ],
      search: ['ToolSearch', 'WaitForMcpServers'],
      // WHY not `SendMessage`: it also reaches sessions that this run does not hold.
      started: [
        ...['TaskOutput', 'TaskStop', 'BashOutput', 'KillShell', 'KillBash', 'SubagentHandback'],
      ],
      resources: [
        ...['ListMcpResourcesTool', 'ReadMcpResourceTool', 'ReadMcpResourceDirTool'],
        ...['ListMcpResources', 'ReadMcpResource', 'ReadMcpResourceDir'],
      ],
      serverField: 'server',
    },
  },
  offered: {
    ...{ Bash: 'Bash', Read: 'Read', Edit: 'Edit', Write: 'Write', Agent: 'Agent', Skill: 'Skill' },
    ...{ NotebookEdit: 'NotebookEdit', Monitor: 'Monitor', WebFetch: 'WebFetch' },
    ...{ WebSearch: 'WebSearch', TodoWrite: 'TaskCreate', AskUserQuestion: 'AskUserQuestion' },
  },
  folder: '.claude',
  hooksFile: '.claude/settings.local.json',
  serversFile: '.mcp.json',
  serversKey: 'mcpServers',
  userHooks: {
    folder: '.claude',
    variable: { name: 'CLAUDE_CONFIG_DIR', below: '.' },
    file: 'settings.json',
    // Its hooks are started where the shell of the agent stands.
    startVariable: 'CLAUDE_PROJECT_DIR',
  },
  offSwitches: [{ setting: 'disableAllHooks', value: true }],
  otherSettings: [
    '.claude/settings.json',
    '~/.claude/settings.json',
    '/etc/claude-code/managed-settings.json',
  ],
  tokenFile: '.claude/settings.local.json',
  protectedFiles: {
    anywhere: [
      ...['.claude/settings*.json', '.claude/hooks/**', '.claude/plugins/**', '.claude.json'],
      // Skills, commands and agents hold shell commands that no hook is asked about.
      ...['.claude/skills/**', '.claude/commands/**', '.claude/agents/**', '.claude/workflows/**'],
      ...['.claude/output-styles/**', '.mcp.json', 'managed-settings.json', 'managed-mcp.json'],
    ],
    home: none('its files there are already protected anywhere'),
    root: ['etc/claude-code/**'],
  },
  pathWords: ['claude', 'mcp.json', 'managed-'],
  hiddenInHome: ['.claude', '.claude.json'],
  readOnlyInWorkspace: ['.claude', '.mcp.json'],
  box: {
    state: ['.claude', '.claude.json', '.local/share/claude', '.cache/claude'],
    variables: ['ANTHROPIC_', 'CLAUDE_', 'DISABLE_', 'IS_SANDBOX'],
    guides: [
      ...['.claude/settings.json', '.claude/settings.local.json', '.claude/hooks'],
      ...['.claude/plugins', '.claude/skills', '.claude/commands', '.claude/agents'],
      ...['.claude/workflows', '.claude/output-styles', '.claude/CLAUDE.md'],
    ],
    emptyFiles: none('it ignores folders there'),
    settings: { kind: 'files', hooks: '--settings', servers: '--mcp-config' },
    hooksOff: {
      // Of several `--settings` it reads one.
      flags: ['--bare', '--safe-mode', '--settings'],
      variables: ['CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SAFE_MODE'],
    },
  },
  environmentMarks: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'],
  events: {
    call: ['PreToolUse'],
    permission: ['PermissionRequest'],
    report: ['PostToolUse'],
    failure: ['PostToolUseFailure'],
    // What its auto mode denies; of a user's no it says nothing.
    declined: ['PermissionDenied'],
    prompt: ['UserPromptSubmit'],
    begin: ['SessionStart'],
    end: ['SessionEnd'],
    stop: ['Stop'],
    'agent-begin': ['SubagentStart'],
    'agent-stop': ['SubagentStop'],
    config: ['ConfigChange'],
    nothing: [
      ...['PostToolBatch', 'Notification', 'UserPromptExpansion', 'StopFailure', 'PreCompact'],
      ...['PostCompact', 'PreModelSwitch', 'PostModelSwitch', 'Setup'],
      ...['TeammateIdle', 'TaskCreated', 'TaskCompleted', 'Elicitation', 'ElicitationResult'],
      ...['InstructionsLoaded', 'CwdChanged', 'FileChanged', 'DirectoryAdded', 'MessageDisplay'],
      ...['WorktreeCreate', 'WorktreeRemove', 'Interrupt'],
    ],
  },
  installedEvents: [
    ...['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'SessionEnd'],
    ...['Stop', 'SubagentStart', 'SubagentStop', 'SessionStart', 'UserPromptSubmit'],
    ...['ConfigChange', 'PermissionDenied'],
  ],
  wires: ['http', 'command'],
  canAskUser: true,
  canMarkCalls: true,
  waitSecondsMax: 50,
  model: {
    endpoints: ['api.anthropic.com'],
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
  },
  limits: [
    'with --bare, --setting-sources user or disableAllHooks it calls no hooks at all: ' +
      'only managed settings or isolation protect against that',
    'shell commands inside a skill or a slash command (`!`) reach no hook when it is expanded: ' +
      '`disableSkillShellExecution` in its settings stops them; agents cannot write such files',
  ],
  proof: { version: '2.1.325' },
} satisfies HostDescriptor
