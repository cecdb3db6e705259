/**
 * Cursor, from its documentation (cursor.com/docs/hooks): it cannot be installed where Pawl is
 * tested.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const cursorHost = {
  id: 'cursor',
  title: 'Cursor',
  program: 'cursor-agent',
  packages: none('it comes with its own installer'),
  tryCommand: 'cursor-agent -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['Shell', 'run_terminal_cmd'],
      Read: ['Read', 'read_file'],
      Edit: ['Edit', 'edit_file', 'search_replace', 'StrReplace', 'ApplyPatch'],
      MultiEdit: ['MultiEdit'],
      NotebookEdit: ['edit_notebook', 'EditNotebook'],
      Delete: ['Delete', 'delete_file'],
      Write: ['Write', 'write'],
      Grep: ['Grep', 'grep', 'grep_search'],
      Glob: ['Glob', 'glob_file_search', 'file_search'],
      LS: ['LS', 'list_dir'],
      WebFetch: ['WebFetch'],
      WebSearch: ['WebSearch', 'web_search'],
      Agent: ['Task'],
      TodoWrite: ['TodoWrite', 'todo_write'],
    },
    shell: 'Shell',
    patches: ['ApplyPatch'],
    viewers: none('`Read` is a separate tool'),
    servers: none('it uses `mcp__server__tool`'),
    dashes: 'kept',
    lacks: none('it has a tool for each'),
    free: {
      notes: ['TodoWrite', 'todo_write'],
      search: none('it holds no tools back'),
      started: none('its documents name no such tools'),
      // WHY not `FetchMcpResource`: it can write what it fetches to a file.
      resources: none('its tool for them may write files'),
      serverField: none('it has no such calls'),
    },
  },
  offered: {
    ...{ Bash: 'Shell', Read: 'Read', Edit: 'Edit', Write: 'Write', Delete: 'Delete' },
    ...{ Grep: 'Grep', Glob: 'Glob', LS: 'LS', WebFetch: 'WebFetch', WebSearch: 'WebSearch' },
    ...{ Agent: 'Task', TodoWrite: 'TodoWrite' },
  },
  folder: '.cursor',
  hooksFile: '.cursor/hooks.json',
  serversFile: '.cursor/mcp.json',
  serversKey: 'mcpServers',
  // From its documentation.
  userHooks: {
    folder: '.cursor',
    variable: none('no variable is documented'),
    file: 'hooks.json',
    startVariable: 'CURSOR_PROJECT_DIR',
  },
  offSwitches: none('it has no such setting'),
  otherSettings: none('it has no such setting'),
  tokenFile: none('its hooks are commands, which need no token'),
  protectedFiles: {
    anywhere: [
      ...['.cursor/hooks.json', '.cursor/hooks/**', '.cursor/mcp.json', '.cursor/cli.json'],
      ...['.cursor/commands/**', '.cursor/skills/**', '.cursor/agents/**'],
      ...['.cursor/cli-config.json', '.cursor/permissions.json', '.cursor/sandbox.json'],
      ...['.cursor/environment.json', '.cursor/worktrees.json'],
    ],
    home: none('its files there are already protected anywhere'),
    root: none('it has no settings there'),
  },
  pathWords: ['cursor'],
  hiddenInHome: ['.cursor'],
  readOnlyInWorkspace: ['.cursor'],
  box: {
    state: ['.cursor'],
    guides: ['.cursor/hooks.json', '.cursor/mcp.json', '.cursor/cli-config.json', '.cursor/rules'],
    emptyFiles: none('it ignores folders there'),
    variables: ['CURSOR_'],
    settings: none('nobody has tried to name its hooks from outside of the project'),
  },
  environmentMarks: ['CURSOR_AGENT'],
  events: {
    call: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile'],
    permission: none('it has no such event'),
    report: ['postToolUse'],
    failure: ['postToolUseFailure'],
    declined: none('it has no such event'),
    prompt: ['beforeSubmitPrompt'],
    begin: ['sessionStart'],
    end: ['sessionEnd'],
    stop: ['stop'],
    'agent-begin': ['subagentStart'],
    'agent-stop': ['subagentStop'],
    config: none('it has no such event'),
    nothing: [
      ...['afterShellExecution', 'afterMCPExecution', 'afterFileEdit', 'afterAgentResponse'],
      ...['afterAgentThought', 'preCompact'],
    ],
  },
  // WHY no other event before a call than `preToolUse`: they fire for the same call once more,
  // which would count twice, and cannot change its input.
  installedEvents: [
    ...['preToolUse', 'postToolUse', 'postToolUseFailure', 'beforeSubmitPrompt', 'sessionStart'],
    ...['sessionEnd', 'subagentStart', 'subagentStop', 'stop'],
  ],
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: false,
  waitSecondsMax: 50,
  model: {
    endpoints: ['api2.cursor.sh'],
    baseUrlVariable: none('it reaches its models only through its own servers'),
  },
  limits: ['not proved: it cannot be started without a person'],
  proof: none('it cannot be started without a person and an account'),
} satisfies HostDescriptor
