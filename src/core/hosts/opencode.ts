/**
 * opencode. It has no hooks that are commands: a plugin of Pawl's stands in for them.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const opencodeHost = {
  id: 'opencode',
  title: 'opencode',
  program: 'opencode',
  packages: ['opencode-ai'],
  tryCommand: 'opencode run "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['bash'],
      Read: ['read'],
      Edit: ['edit', 'patch', 'apply_patch'],
      MultiEdit: ['multiedit'],
      Write: ['write'],
      Grep: ['grep'],
      Glob: ['glob'],
      LS: ['list'],
      WebFetch: ['webfetch'],
      WebSearch: ['websearch'],
      Agent: ['task'],
      TodoWrite: ['todowrite'],
      Skill: ['skill'],
      AskUserQuestion: ['question'],
    },
    shell: 'bash',
    patches: ['patch', 'apply_patch'],
    viewers: none('`read` is a separate tool'),
    servers: { prefix: '', separator: '_' },
    dashes: 'kept',
    lacks: none('it has a tool for each'),
    free: {
      // `invalid` stands for a tool that does not exist, and says so.
      notes: ['todowrite', 'plan_enter', 'plan_exit', 'invalid'],
      search: none('it holds no tools back'),
      started: none('its sub-agents end by themselves'),
      resources: ['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource'],
      serverField: 'server',
    },
  },
  offered: {
    ...{ Bash: 'bash', Read: 'read', Edit: 'edit', Write: 'write', Grep: 'grep', Glob: 'glob' },
    ...{ WebFetch: 'webfetch', Agent: 'task', TodoWrite: 'todowrite', Skill: 'skill' },
    ...{ AskUserQuestion: 'question' },
  },
  folder: '.opencode',
  hooksFile: '.opencode/plugins/pawl.js',
  serversFile: 'opencode.json',
  serversKey: 'mcp',
  userHooks: {
    folder: '.config/opencode',
    variable: { name: 'XDG_CONFIG_HOME', below: 'opencode' },
    file: 'plugins/pawl.js',
    startVariable: none('its plugin starts the hook where opencode was started'),
  },
  offSwitches: none('a plugin is loaded whenever its file exists'),
  tokenFile: none('the plugin starts the hook client, which needs no token'),
  protectedFiles: {
    anywhere: ['.opencode/**', 'opencode.json', 'opencode.jsonc'],
    home: ['.config/opencode/**'],
    root: ['etc/opencode/**'],
  },
  pathWords: ['opencode'],
  hiddenInHome: ['.opencode', '.config/opencode', '.local/share/opencode'],
  readOnlyInWorkspace: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  environmentMarks: ['OPENCODE'],
  events: {
    call: ['tool.execute.before'],
    permission: none('the plugin is not called then'),
    report: ['tool.execute.after'],
    failure: none('it does not report failed calls to plugins'),
    prompt: ['chat.message'],
    begin: ['session.created', 'session.compacted'],
    end: ['session.deleted'],
    stop: ['session.idle'],
    'agent-begin': none('`session.created` of a session that has a parent'),
    'agent-stop': none('`session.idle` of a session that has a parent'),
    config: none('it sends plugins no such event'),
    nothing: ['message.updated'],
  },
  installedEvents: none('the plugin sends them'),
  wires: ['command'],
  canAskUser: false,
  model: {
    endpoints: none('the user chooses the provider'),
    baseUrlVariable: none('a provider in its settings has a `baseURL`'),
  },
  limits: [
    'with --pure, or if its plugin cannot be loaded, it calls no plugin: only isolation ' +
      'protects against that',
    'shell commands inside a slash command (`!`) run before any plugin is asked: remove them from ' +
      'the command, or isolate opencode; agents cannot write such files',
    '`opencode run` ends when its model stops, finished or not; the run stays open and on record',
  ],
  proof: { version: '1.18.33' },
} satisfies HostDescriptor
