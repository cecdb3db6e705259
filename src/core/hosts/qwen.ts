/**
 * Qwen Code, a fork of Gemini CLI: it has the tools of Gemini CLI and the hooks of Claude Code.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

/** The list of tasks that a team of agents shares. */
const teamTasks = ['task_create', 'task_update', 'task_list']

export const qwenHost = {
  id: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  packages: ['@qwen-code/qwen-code'],
  tryCommand: 'qwen --approval-mode auto-edit -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['run_shell_command'],
      Monitor: ['monitor'],
      Read: ['read_file', 'zoom_image', 'display_image'],
      // The old names are those of Gemini CLI, which it still understands.
      Edit: ['edit', 'replace'],
      NotebookEdit: ['notebook_edit'],
      Write: ['write_file'],
      Grep: ['grep_search', 'search_file_content'],
      Glob: ['glob'],
      LS: ['list_directory'],
      WebFetch: ['web_fetch'],
      WebSearch: ['web_search'],
      Agent: ['agent', 'task', 'create_sub_session', 'workflow'],
      TodoWrite: ['todo_write', ...teamTasks],
      Skill: ['skill'],
      AskUserQuestion: ['ask_user_question'],
    },
    shell: 'run_shell_command',
    patches: none('it has no patch tool'),
    viewers: none('`read_file` is a separate tool'),
    servers: none('it uses `mcp__server__tool`'),
    dashes: 'kept',
    // It has it only if its user turns it on; so it is with `todo_write`.
    lacks: ['LS'],
    free: {
      notes: [
        ...['todo_write', ...teamTasks, 'enter_plan_mode', 'exit_plan_mode'],
        ...['get_goal', 'update_goal', 'propose_goal', 'report_findings', 'structured_output'],
      ],
      // WHY not `tool_call`: hooks are asked about the tool that it calls, never about itself.
      search: ['tool_search'],
      // WHY not `send_message`: it also reaches sessions that this run does not hold.
      started: ['task_stop', 'list_agents'],
      resources: ['read_mcp_resource'],
      serverField: 'server_name',
    },
  },
  offered: {
    ...{ Bash: 'run_shell_command', Read: 'read_file', Edit: 'edit', Write: 'write_file' },
    ...{ Grep: 'grep_search', Glob: 'glob', WebFetch: 'web_fetch', Agent: 'agent' },
    ...{ NotebookEdit: 'notebook_edit', Monitor: 'monitor', Skill: 'skill' },
    ...{ AskUserQuestion: 'ask_user_question' },
  },
  folder: '.qwen',
  hooksFile: '.qwen/settings.json',
  serversFile: '.qwen/settings.json',
  serversKey: 'mcpServers',
  userHooks: {
    folder: '.qwen',
    variable: { name: 'QWEN_HOME', below: '.' },
    file: 'settings.json',
    startVariable: none('its hooks are started where it was'),
  },
  offSwitches: [{ setting: 'disableAllHooks', value: true }],
  otherSettings: ['~/.qwen/settings.json', '/etc/qwen-code/settings.json'],
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: [
      ...['.qwen/settings*.json', '.qwen/hooks/**', '.qwen/extensions/**', '.qwen/.env'],
      ...['.qwen/commands/**', '.qwen/skills/**', '.qwen/agents/**', '.qwen/workflows/**'],
      ...['.qwen/output-styles/**', '.qwen/fork-profiles/**', '.qwen/system.md'],
      ...['.qwen/channels/**', '.qwen/trustedfolders.json', '.qwen/extension-store/**'],
      // Its translations are programs, and so are the descriptions of its sandbox.
      ...['.qwen/locales/**', '.qwen/sandbox*'],
    ],
    home: none('its files there are already protected anywhere'),
    root: ['etc/qwen-code/**'],
  },
  pathWords: ['qwen'],
  hiddenInHome: ['.qwen'],
  readOnlyInWorkspace: ['.qwen'],
  box: {
    state: ['.qwen'],
    variables: ['QWEN_', 'OPENAI_', 'DASHSCOPE_'],
    guides: [
      ...['.qwen/settings.json', '.qwen/hooks', '.qwen/extensions', '.qwen/commands'],
      ...['.qwen/skills', '.qwen/agents', '.qwen/workflows', '.qwen/output-styles', '.qwen/.env'],
      ...['.qwen/channels', '.qwen/locales', '.qwen/fork-profiles'],
      ...['.qwen/trustedFolders.json', '.qwen/system.md', '.qwen/QWEN.md'],
    ],
    emptyFiles: none('it ignores folders there'),
    settings: {
      ...{ kind: 'variable', name: 'QWEN_CODE_SYSTEM_SETTINGS_PATH' },
      instead: '/etc/qwen-code/settings.json',
    },
    hooksOff: {
      flags: ['--bare', '--safe-mode'],
      variables: ['QWEN_CODE_SIMPLE', 'QWEN_CODE_SAFE_MODE'],
    },
  },
  environmentMarks: ['QWEN_CODE'],
  events: {
    call: ['PreToolUse'],
    permission: ['PermissionRequest'],
    report: ['PostToolUse'],
    failure: ['PostToolUseFailure'],
    declined: ['PermissionDenied'],
    prompt: ['UserPromptSubmit'],
    begin: ['SessionStart'],
    end: ['SessionEnd'],
    stop: ['Stop'],
    'agent-begin': ['SubagentStart'],
    'agent-stop': ['SubagentStop'],
    config: none('it has no such event'),
    nothing: [
      ...['PostToolBatch', 'Notification', 'UserPromptExpansion', 'MessageDisplay', 'PreCompact'],
      ...['PostCompact', 'SessionDelete', 'StopFailure', 'TodoCreated'],
      ...['TodoCompleted', 'InstructionsLoaded'],
    ],
  },
  // WHY not `PermissionRequest` and `PermissionDenied`: they come before `PreToolUse`, which is
  // asked in any case.
  installedEvents: [
    ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart'],
    ...['SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: false,
  waitSecondsMax: 50,
  model: {
    endpoints: [
      ...['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'coding.dashscope.aliyuncs.com'],
      ...['coding-intl.dashscope.aliyuncs.com', 'token-plan.cn-beijing.maas.aliyuncs.com'],
      'token-plan.ap-southeast-1.maas.aliyuncs.com',
    ],
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  limits: [
    'shell commands inside a custom command (`!{…}`) are run when it is expanded, and no hook is ' +
      'known to be asked: remove them from the command; agents cannot write such files',

    'with --bare, --safe-mode or disableAllHooks it calls no hooks at all, and with ' +
      'security.folderTrust only in folders that the user trusts: isolation protects against that',
    'a call that a person approved with changes is blocked, because it ignores a changed input',
    'headless it does not report the end of a session: its run stays assigned until `pawl release`',
  ],
  proof: { version: '0.24.4' },
} satisfies HostDescriptor
