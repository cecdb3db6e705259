/**
 * Pi. It has no hooks that are commands and no MCP servers: an extension of Pawl's stands in for
 * both.
 */
import { type HostDescriptor, none } from './host-descriptor.ts'

export const piHost = {
  id: 'pi',
  title: 'Pi',
  program: 'pi',
  packages: ['@earendil-works/pi-coding-agent'],
  tryCommand: 'pi -p "write hello into hello.txt"',
  tools: {
    common: {
      Bash: ['bash'],
      Read: ['read'],
      Edit: ['edit'],
      Write: ['write'],
      Grep: ['grep'],
      Glob: ['find'],
      LS: ['ls'],
    },
    shell: 'bash',
    patches: none('it has no patch tool'),
    viewers: none('`read` is a separate tool'),
    servers: none('the extension offers the tools of Pawl as `mcp__pawl__tool`'),
    dashes: 'kept',
    // It has them only if its user turns them on.
    lacks: ['Grep', 'Glob', 'LS'],
    free: none('it has no tools for bookkeeping'),
  },
  offered: { Bash: 'bash', Read: 'read', Edit: 'edit', Write: 'write' },
  // The extension lists the tools of Pawl when a session begins.
  readsToolsOnce: true,
  folder: '.pi',
  hooksFile: '.pi/extensions/pawl.js',
  serversFile: '.pi/extensions/pawl.js',
  serversKey: none('it has no MCP servers: the extension starts that of Pawl'),
  userHooks: {
    folder: '.pi/agent',
    variable: { name: 'PI_CODING_AGENT_DIR', below: '.' },
    file: 'extensions/pawl.js',
    startVariable: none('its extension starts the hook where Pi was started'),
  },
  offSwitches: none('an extension is loaded whenever its file exists and the folder is trusted'),
  otherSettings: none('it has no such setting'),
  tokenFile: none('the extension starts the hook client, which needs no token'),
  protectedFiles: {
    anywhere: ['.pi/**'],
    home: none('its files there are already protected anywhere'),
    root: none('it has no settings for the whole machine'),
  },
  pathWords: ['.pi'],
  hiddenInHome: ['.pi'],
  readOnlyInWorkspace: ['.pi'],
  box: {
    state: ['.pi'],
    variables: ['PI_', 'OPENAI_', 'ANTHROPIC_'],
    guides: ['.pi'],
    emptyFiles: none('nobody has tried it in a box'),
    settings: none('nobody has tried to name its extension from outside of the project'),
    hooksOff: none('it is not started in a box'),
  },
  environmentMarks: ['PI_CODING_AGENT'],
  events: {
    call: ['tool_call'],
    permission: none('it asks its user about no call'),
    declined: none('it asks its user about no call'),
    report: ['tool_result'],
    failure: none('`tool_result` says whether a call failed'),
    prompt: ['input'],
    begin: ['session_start', 'session_compact'],
    end: ['session_shutdown'],
    stop: ['agent_before_settle'],
    'agent-begin': none('it has no sub-agents: those of other extensions are its own sessions'),
    'agent-stop': none('it has no sub-agents: those of other extensions are its own sessions'),
    config: none('it sends extensions no such event'),
    nothing: ['message_end'],
  },
  installedEvents: none('the extension sends them'),
  wires: ['command'],
  canAskUser: false,
  canMarkCalls: true,
  waitSecondsMax: 50,
  model: {
    endpoints: none('the user chooses the provider'),
    baseUrlVariable: none('a provider in its `models.json` has a `baseUrl`'),
  },
  limits: [
    'with --no-extensions it asks no extension: only isolation protects against that',
    'in a folder that its user does not trust, or with --no-approve, it loads only the extension ' +
      'of `pawl init --user`',
    'other extensions run in the same process: they can act without a call, and change a call ' +
      'after Pawl has judged it; install only those that you trust',
  ],
  proof: { version: '0.87.1' },
} satisfies HostDescriptor
