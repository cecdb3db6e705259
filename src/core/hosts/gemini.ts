/**
 * Gemini CLI.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

/** Its other todo list, which knows what depends on what. */
const trackerTools = [
  ...['tracker_create_task', 'tracker_update_task', 'tracker_get_task', 'tracker_list_tasks'],
  ...['tracker_add_dependency', 'tracker_visualize'],
]

export const geminiHost = {
  id: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  packages: ['@google/gemini-cli'],
  // WHY not `--skip-trust`: with it, the hooks of the folder do not run.
  tryCommand:
    'GEMINI_CLI_TRUST_WORKSPACE=true ' +
    'gemini --approval-mode auto_edit -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['run_shell_command'],
      Read: ['read_file', 'read_many_files'],
      Edit: ['replace', 'edit'],
      Write: ['write_file'],
      Grep: ['search_file_content', 'grep_search'],
      Glob: ['glob'],
      LS: ['list_directory'],
      WebFetch: ['web_fetch'],
      WebSearch: ['google_web_search'],
      Agent: ['delegate_to_agent', 'invoke_agent', 'codebase_investigator'],
      TodoWrite: ['write_todos', ...trackerTools],
      Skill: ['activate_skill'],
      AskUserQuestion: ['ask_user'],
    },
    shell: 'run_shell_command',
    patches: none('it has no patch tool'),
    viewers: none('`read_file` is a separate tool'),
    servers: { prefix: 'mcp_', separator: '_' },
    dashes: 'kept',
    lacks: none('it has a tool for each'),
    free: {
      notes: [
        ...['write_todos', ...trackerTools],
        ...['update_topic', 'enter_plan_mode', 'exit_plan_mode'],
      ],
      search: none('it holds no tools back'),
      started: ['complete_task'],
      resources: ['list_mcp_resources', 'read_mcp_resource'],
      serverField: none('it finds the server by the address of the resource'),
    },
  },
  offered: {
    ...{ Bash: 'run_shell_command', Read: 'read_file', Edit: 'replace', Write: 'write_file' },
    ...{ Grep: 'grep_search', Glob: 'glob', LS: 'list_directory', WebFetch: 'web_fetch' },
    ...{ WebSearch: 'google_web_search', Agent: 'invoke_agent', TodoWrite: 'write_todos' },
    ...{ Skill: 'activate_skill', AskUserQuestion: 'ask_user' },
  },
  folder: '.gemini',
  hooksFile: '.gemini/settings.json',
  serversFile: '.gemini/settings.json',
  serversKey: 'mcpServers',
  userHooks: {
    folder: '.gemini',
    variable: { name: 'GEMINI_CLI_HOME', below: '.gemini' },
    file: 'settings.json',
    startVariable: none('its hooks are started where it was'),
  },
  offSwitches: [
    { setting: 'hooksConfig.enabled', value: false },
    { setting: 'hooksConfig.disabled', value: 'lists pawl' },
  ],
  otherSettings: ['~/.gemini/settings.json', '/etc/gemini-cli/settings.json'],
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: [
      ...['.gemini/settings*.json', '.gemini/hooks/**', '.gemini/extensions/**', '.gemini/.env'],
      ...['.gemini/commands/**', '.gemini/skills/**', '.gemini/agents/**', '.gemini/policies/**'],
      '.gemini/trustedfolders.json',
    ],
    home: none('its files there are already protected anywhere'),
    root: ['etc/gemini-cli/**'],
  },
  pathWords: ['gemini'],
  hiddenInHome: ['.gemini'],
  readOnlyInWorkspace: ['.gemini'],
  box: {
    state: ['.gemini'],
    variables: ['GEMINI_', 'GOOGLE_'],
    guides: [
      ...['.gemini/settings.json', '.gemini/hooks', '.gemini/extensions', '.gemini/commands'],
      ...['.gemini/skills', '.gemini/agents', '.gemini/policies', '.gemini/.env'],
      ...['.gemini/trustedFolders.json', '.gemini/GEMINI.md'],
    ],
    emptyFiles: none('it ignores folders there'),
    settings: {
      ...{ kind: 'variable', name: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH' },
      instead: '/etc/gemini-cli/settings.json',
    },
    hooksOff: none('it has settings for that, and no flag'),
  },
  environmentMarks: ['GEMINI_CLI'],
  events: {
    call: ['BeforeTool'],
    permission: none('it has no such event'),
    report: ['AfterTool'],
    failure: none('`AfterTool` also reports failures'),
    declined: none('it has no such event'),
    prompt: ['BeforeAgent'],
    begin: ['SessionStart'],
    end: ['SessionEnd'],
    stop: ['AfterAgent'],
    'agent-begin': none('its sub-agents have no events of their own'),
    'agent-stop': none('its sub-agents have no events of their own'),
    config: none('it has no such event'),
    nothing: ['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress', 'Notification'],
  },
  installedEvents: [
    ...['BeforeTool', 'AfterTool', 'BeforeAgent', 'AfterAgent', 'SessionStart', 'SessionEnd'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: true,
  waitSecondsMax: 50,
  model: {
    endpoints: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com'],
    baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
  },
  limits: [
    'shell commands inside a custom command (`!{…}`) are run when it is expanded, and no hook is ' +
      'known to be asked: remove them from the command; agents cannot write such files',
    'it calls hooks only in folders that the user trusts, and none with `--skip-trust`',
  ],
  proof: { version: '0.61.0' },
} satisfies HostDescriptor
