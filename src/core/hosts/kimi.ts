/**
 * Kimi Code. Its hooks are commands in the format of Claude Code, and it reads them from the
 * settings of its user only.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const kimiHost = {
  id: 'kimi',
  title: 'Kimi Code',
  program: 'kimi',
  packages: ['@moonshot-ai/kimi-code'],
  tryCommand: 'kimi -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['Bash'],
      Read: ['Read', 'ReadMediaFile'],
      Edit: ['Edit'],
      Write: ['Write'],
      Grep: ['Grep'],
      Glob: ['Glob'],
      WebFetch: ['FetchURL'],
      WebSearch: ['WebSearch'],
      Agent: ['Agent', 'AgentSwarm'],
      TodoWrite: ['TodoList'],
      Skill: ['Skill'],
      AskUserQuestion: ['AskUserQuestion'],
    },
    shell: 'Bash',
    patches: none('it has no patch tool'),
    viewers: none('`Read` is a separate tool'),
    servers: none('it uses `mcp__server__tool`'),
    dashes: 'kept',
    lacks: ['LS'],
    free: {
      notes: [
        ...['TodoList', 'EnterPlanMode', 'ExitPlanMode'],
        ...['CreateGoal', 'GetGoal', 'UpdateGoal', 'SetGoalBudget'],
      ],
      search: ['select_tools'],
      // WHY not `CronCreate`: what it says later is a prompt that nobody has judged.
      started: ['TaskList', 'TaskOutput', 'TaskStop', 'WaitFor'],
      resources: none('it has no such tools'),
      serverField: none('it has no such tools'),
    },
  },
  offered: {
    ...{ Bash: 'Bash', Read: 'Read', Edit: 'Edit', Write: 'Write', Grep: 'Grep', Glob: 'Glob' },
    ...{ WebFetch: 'FetchURL', Agent: 'Agent', TodoWrite: 'TodoList', Skill: 'Skill' },
    ...{ AskUserQuestion: 'AskUserQuestion' },
  },
  folder: '.kimi-code',
  hooksFile: none('it reads hooks from the settings of its user only'),
  serversFile: '.kimi-code/mcp.json',
  serversKey: 'mcpServers',
  userHooks: {
    folder: '.kimi-code',
    variable: { name: 'KIMI_CODE_HOME', below: '.' },
    file: 'config.toml',
    startVariable: none('its hooks are started where it was'),
  },
  offSwitches: none('it has no such setting'),
  otherSettings: none('its settings are TOML, and none turns hooks off'),
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: ['.kimi-code/**'],
    home: none('its files there are already protected anywhere'),
    root: none('it has no settings for the whole machine'),
  },
  pathWords: ['kimi'],
  hiddenInHome: ['.kimi-code'],
  readOnlyInWorkspace: ['.kimi-code'],
  box: {
    state: ['.kimi-code'],
    variables: ['KIMI_', 'MOONSHOT_', 'OPENAI_', 'ANTHROPIC_'],
    guides: [
      ...['.kimi-code/config.toml', '.kimi-code/mcp.json', '.kimi-code/AGENTS.md'],
      ...['.kimi-code/skills', '.kimi-code/agents', '.kimi-code/plugins'],
    ],
    emptyFiles: none('nobody has tried it in a box'),
    settings: none('it cannot be told of hooks outside of the settings of its user'),
    hooksOff: none('it is not started in a box'),
  },
  environmentMarks: none('it sets no variable of its own for its shell'),
  events: {
    call: ['PreToolUse'],
    permission: ['PermissionRequest'],
    report: ['PostToolUse'],
    failure: ['PostToolUseFailure'],
    declined: none('it is told by `PostToolUseFailure`'),
    prompt: ['UserPromptSubmit'],
    begin: ['SessionStart'],
    end: ['SessionEnd'],
    stop: ['Stop'],
    'agent-begin': ['SubagentStart'],
    'agent-stop': ['SubagentStop'],
    config: none('it has no such event'),
    nothing: [
      ...['PermissionResult', 'UserPromptQueued', 'TurnStarted', 'TaskStarted', 'StopFailure'],
      ...['Interrupt', 'SessionHeartbeat', 'PreCompact', 'PostCompact', 'Notification'],
    ],
  },
  // WHY not those of sub-agents: they do not say which sub-agent they are about.
  installedEvents: [
    ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart'],
    ...['SessionEnd', 'Stop'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: false,
  waitSecondsMax: 50,
  model: {
    endpoints: ['api.kimi.com', 'api.moonshot.ai', 'api.moonshot.cn'],
    baseUrlVariable: 'KIMI_MODEL_BASE_URL',
  },
  limits: [
    'its hooks are those of its user: while they are missing from `~/.kimi-code/config.toml`, it ' +
      'is not held in any folder; `pawl init --restore` writes them again',
    'started with another `KIMI_CODE_HOME` it reads other settings, and asks no hook of Pawl: ' +
      'isolation protects against that',
    '`kimi acp` and `kimi web` tell a hook where the server was started, not where a session ' +
      'works: one that works in a guarded folder while its server was started outside is judged ' +
      'only by the paths that it names; start the server in the guarded folder, or isolate it',
    'a call of a sub-agent does not say whose it is, so it is judged as one of its session',
    'a call that a person approved with changes is blocked, because it ignores a changed input',
    'headless it does not report the end of a session: its run stays assigned until `pawl release`',
    'the older Kimi CLI (`kimi-cli`, of Python) is a program of the same name with other ' +
      'settings, and asks no hook of Pawl: isolation protects against that',
    'its shell has no mark of an agent, so a program that an allowed command starts can run ' +
      '`pawl` commands that are for people: isolation protects against that',
  ],
  proof: { version: '2.1.0' },
} satisfies HostDescriptor
