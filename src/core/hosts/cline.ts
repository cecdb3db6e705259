/**
 * Cline (its command line). It has hooks that are files, but a denial by one of them ends the
 * session: a plugin of Pawl's stands in for them, and for an MCP server of the folder.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const clineHost = {
  id: 'cline',
  title: 'Cline',
  program: 'cline',
  packages: ['cline'],
  tryCommand: 'cline "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['run_commands'],
      Read: ['read_files'],
      // Some of its models get the second in place of the first, which also makes files.
      Edit: ['editor', 'apply_patch'],
      Grep: ['search_codebase'],
      WebFetch: ['fetch_web_content'],
      Agent: ['spawn_agent', 'team_spawn_teammate', 'team_run_task'],
      Skill: ['skills'],
      AskUserQuestion: ['ask_question'],
    },
    shell: 'run_commands',
    patches: ['apply_patch'],
    viewers: none('`read_files` is a separate tool'),
    servers: { prefix: '', separator: '__' },
    dashes: 'kept',
    lacks: ['Glob', 'LS'],
    free: {
      // The tasks, notes and results of a team are rows in its own database.
      notes: [
        ...['team_status', 'team_task', 'team_mission_log', 'team_read_mailbox'],
        ...['team_list_runs', 'team_list_outcomes', 'team_create_outcome'],
        ...['team_attach_outcome_fragment', 'team_review_outcome_fragment'],
        ...['team_finalize_outcome', 'submit_and_exit'],
      ],
      search: none('it holds no tools back'),
      started: [
        ...['team_await_runs', 'team_cancel_run', 'team_send_message', 'team_broadcast'],
        ...['team_shutdown_teammate', 'team_cleanup'],
      ],
      resources: none('it has no such tools'),
      serverField: none('it has no such tools'),
    },
  },
  offered: {
    ...{ Bash: 'run_commands', Read: 'read_files', Edit: 'editor', Grep: 'search_codebase' },
    ...{ WebFetch: 'fetch_web_content', Agent: 'spawn_agent', AskUserQuestion: 'ask_question' },
  },
  // The plugin lists the tools of Pawl when a session begins.
  readsToolsOnce: true,
  folder: '.cline',
  hooksFile: '.cline/plugins/pawl.js',
  serversFile: '.cline/plugins/pawl.js',
  serversKey: none('it has no MCP servers of a folder: the plugin starts that of Pawl'),
  userHooks: {
    folder: '.cline',
    variable: { name: 'CLINE_DIR', below: '.' },
    file: 'plugins/pawl.js',
    startVariable: none('its plugin starts the hook where Cline was started'),
  },
  offSwitches: [{ setting: 'disabledPlugins', value: 'lists pawl' }],
  otherSettings: ['~/.cline/data/settings/global-settings.json'],
  tokenFile: none('the plugin starts the hook client, which needs no token'),
  protectedFiles: {
    anywhere: ['.cline/**', '.clinerules/**', 'documents/cline/**'],
    home: none('its files there are already protected anywhere'),
    root: none('it has no settings for the whole machine'),
  },
  pathWords: ['cline'],
  hiddenInHome: ['.cline', 'Documents/Cline'],
  readOnlyInWorkspace: ['.cline', '.clinerules'],
  box: {
    state: ['.cline'],
    variables: ['CLINE_', 'OPENAI_', 'ANTHROPIC_', 'OPENROUTER_'],
    guides: ['.cline/plugins', '.cline/hooks', '.cline/skills', '.cline/agents', '.cline/rules'],
    emptyFiles: none('nobody has tried it in a box'),
    settings: none('nobody has tried to name its plugin from outside of the project'),
    hooksOff: none('it is not started in a box'),
  },
  environmentMarks: ['CLINE_CONNECTOR_CLI_LAUNCH'],
  events: {
    call: ['beforeTool'],
    permission: none('it asks its user after `beforeTool`'),
    report: ['afterTool'],
    failure: none('`afterTool` says whether a call failed'),
    declined: none('it does not tell plugins of it'),
    prompt: ['beforeRun'],
    begin: ['setup'],
    end: none('its process for plugins is ended without a word'),
    stop: none('a plugin cannot send an agent on that has ended'),
    'agent-begin': none('the calls of a sub-agent say whose they are'),
    'agent-stop': none('a plugin cannot send an agent on that has ended'),
    config: none('it sends plugins no such event'),
    nothing: ['assistant-message'],
  },
  installedEvents: none('the plugin sends them'),
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: true,
  // It waits three seconds for a plugin, and asks about all calls of an answer before it makes any.
  waitSecondsMax: 1,
  model: {
    endpoints: ['api.cline.bot'],
    baseUrlVariable: none('a provider in its settings has a `baseUrl`'),
  },
  limits: [
    'if its plugin cannot be loaded within 4 seconds (`CLINE_PLUGIN_IMPORT_TIMEOUT_MS`), or is ' +
      'disabled, it calls no plugin: only isolation protects against that',
    'it waits 3 seconds for a plugin, so a call that Pawl cannot judge within 2.5 is denied',
    'other plugins run in the same process: they can act without a call, and change a call ' +
      'after Pawl has judged it; install only those that you trust',
    'a session in its hub, as any after the first, cannot name its run by `PAWL_RUN`: the hub ' +
      'has the environment of whoever started it',
    '`cline "…"` ends when its model stops, finished or not, and does not report the end of a ' +
      'session: its run stays assigned until `pawl release`',
  ],
  proof: { version: '3.0.65' },
} satisfies HostDescriptor
