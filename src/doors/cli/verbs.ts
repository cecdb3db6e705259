/**
 * The table of verbs, in the groups that help shows. Each verb is loaded when it is called, so
 * that help is there at once.
 */
import type { VerbEntry } from './io.ts'

type VerbGroup = { readonly title: string; readonly verbs: readonly VerbEntry[] }

export const verbGroups: readonly VerbGroup[] = [
  {
    title: 'Author',
    verbs: [
      {
        name: 'check',
        summary: 'find mistakes in definitions',
        load: async () => (await import('./verbs/check.ts')).checkVerb,
      },
      {
        name: 'test',
        summary: 'run test cases against definitions',
        load: async () => (await import('./verbs/test.ts')).testVerb,
      },
      {
        name: 'play',
        summary: 'step through a definition as the agent',
        load: async () => (await import('./verbs/play.ts')).playVerb,
      },
      {
        name: 'judge',
        summary: 'show the verdict on a tool call, and the rule behind it',
        load: async () => (await import('./verbs/judge.ts')).judgeVerb,
      },
      {
        name: 'draw',
        summary: 'draw a definition as a diagram',
        load: async () => (await import('./verbs/draw.ts')).drawVerb,
      },
      {
        name: 'convert',
        summary: 'rewrite definitions in another dialect, or from another product',
        load: async () => (await import('./verbs/convert.ts')).convertVerb,
      },
      {
        name: 'definitions',
        summary: 'manage stored definitions and drafts',
        load: async () => (await import('./verbs/definitions.ts')).definitionsVerb,
      },
    ],
  },
  {
    title: 'Run',
    verbs: [
      {
        name: 'demo',
        summary: 'watch Pawl keep a scripted agent to a workflow',
        load: async () => (await import('./verbs/demo.ts')).demoVerb,
      },
      {
        name: 'run',
        summary: 'start an agent host in a box, with its hooks in force',
        load: async () => (await import('./verbs/run.ts')).runVerb,
      },
      {
        name: 'start',
        summary: 'start a run of a definition',
        load: async () => (await import('./verbs/start.ts')).startVerb,
      },
      {
        name: 'state',
        summary: 'show the current stage of a run and what it accepts',
        load: async () => (await import('./verbs/state.ts')).stateVerb,
      },
      {
        name: 'signal',
        summary: 'send a signal to a run',
        load: async () => (await import('./verbs/signal.ts')).signalVerb,
      },
      {
        name: 'runs',
        summary: 'list runs',
        load: async () => (await import('./verbs/runs.ts')).runsVerb,
      },
      {
        name: 'log',
        summary: 'show the log of a run, or verify it',
        load: async () => (await import('./verbs/log.ts')).logVerb,
      },
      {
        name: 'watch',
        summary: 'print the events of runs as they happen',
        load: async () => (await import('./verbs/watch.ts')).watchVerb,
      },
      {
        name: 'wait',
        summary: 'wait until a run ends, moves on or needs an approval',
        load: async () => (await import('./verbs/wait.ts')).waitVerb,
      },
      {
        name: 'pause',
        summary: 'pause a run',
        load: async () => (await import('./verbs/pause.ts')).pauseVerb,
      },
      {
        name: 'resume',
        summary: 'resume a paused run',
        load: async () => (await import('./verbs/resume.ts')).resumeVerb,
      },
      {
        name: 'cancel',
        summary: 'cancel a run; it cannot be resumed',
        load: async () => (await import('./verbs/cancel.ts')).cancelVerb,
      },
      {
        name: 'force',
        summary: 'put a run into any stage (needs `debug` in the definition)',
        load: async () => (await import('./verbs/force.ts')).forceVerb,
      },
      {
        name: 'credential',
        summary: 'print a credential for an agent that uses the API',
        load: async () => (await import('./verbs/credential.ts')).credentialVerb,
      },
      {
        name: 'release',
        summary: 'free a run from the agent session that holds it',
        load: async () => (await import('./verbs/release.ts')).releaseVerb,
      },
      {
        name: 'cost',
        summary: 'show what runs have cost',
        load: async () => (await import('./verbs/cost.ts')).costVerb,
      },
    ],
  },
  {
    title: 'Decide',
    verbs: [
      {
        name: 'approvals',
        summary: 'list pending approvals',
        load: async () => (await import('./verbs/approvals.ts')).approvalsVerb,
      },
      {
        name: 'approve',
        summary: 'approve a move or a call that is waiting',
        load: async () => (await import('./verbs/approve.ts')).approveVerb,
      },
      {
        name: 'refuse',
        summary: 'refuse a move or a call that is waiting',
        load: async () => (await import('./verbs/refuse.ts')).refuseVerb,
      },
    ],
  },
  {
    title: 'Agents',
    verbs: [
      {
        name: 'init',
        summary: 'set up Pawl for the agents in this folder',
        load: async () => (await import('./verbs/init.ts')).initVerb,
      },
      {
        name: 'uninit',
        summary: 'remove everything that `pawl init` wrote',
        load: async () => (await import('./verbs/uninit.ts')).uninitVerb,
      },
      {
        name: 'doctor',
        summary: 'check what is enforced on this machine, and prove it',
        load: async () => (await import('./verbs/doctor.ts')).doctorVerb,
      },
      {
        name: 'gateway',
        summary: 'put other MCP servers behind Pawl and judge every call',
        load: async () => (await import('./verbs/gateway.ts')).gatewayVerb,
      },
      {
        name: 'memory',
        summary: 'show and delete the notes of agents in this folder',
        load: async () => (await import('./verbs/memory.ts')).memoryVerb,
      },
      {
        name: 'tasks',
        summary: 'list the tasks of agents in this folder',
        load: async () => (await import('./verbs/tasks.ts')).tasksVerb,
      },
      {
        name: 'hook',
        summary: 'answer a hook of an agent host',
        isInternal: true,
        load: async () => (await import('./verbs/hook.ts')).hookVerb,
      },
      {
        name: 'mcp',
        summary: "serve Pawl's tools to an agent over MCP",
        isInternal: true,
        load: async () => (await import('./verbs/mcp.ts')).mcpVerb,
      },
      {
        name: 'statusline',
        summary: 'print one line about the current run, for Claude Code',
        isInternal: true,
        load: async () => (await import('./verbs/statusline.ts')).statuslineVerb,
      },
    ],
  },
  {
    title: 'Jobs',
    verbs: [
      {
        name: 'job',
        summary: 'run commands in a sandbox, follow them and stop them',
        load: async () => (await import('./job/job.ts')).jobVerb,
      },
    ],
  },
  {
    title: 'Admin',
    verbs: [
      {
        name: 'serve',
        summary: 'run the daemon in the foreground',
        load: async () => (await import('./verbs/serve.ts')).serveVerb,
      },
      {
        name: 'stop',
        summary: 'stop the daemon',
        load: async () => (await import('./verbs/stop.ts')).stopVerb,
      },
      {
        name: 'status',
        summary: 'show the state of the daemon',
        load: async () => (await import('./verbs/status.ts')).statusVerb,
      },
      {
        name: 'open',
        summary: 'open the page in a browser, signed in',
        load: async () => (await import('./verbs/open.ts')).openVerb,
      },
      {
        name: 'people',
        summary: 'give people their own tokens',
        load: async () => (await import('./verbs/people.ts')).peopleVerb,
      },
      {
        name: 'passkey',
        summary: 'list the passkeys that sign decisions, or reset lost ones',
        load: async () => (await import('./verbs/passkey.ts')).passkeyVerb,
      },
      {
        name: 'notify',
        summary: 'send a test message over every notification channel',
        load: async () => (await import('./verbs/notify.ts')).notifyVerb,
      },
      {
        name: 'mail',
        summary: 'create or revoke the mail key of a run',
        load: async () => (await import('./verbs/mail.ts')).mailVerb,
      },
      {
        name: 'export',
        summary: 'write a whole run to a file',
        load: async () => (await import('./verbs/export.ts')).exportVerb,
      },
      {
        name: 'import',
        summary: 'load an exported run',
        load: async () => (await import('./verbs/import.ts')).importVerb,
      },
      {
        name: 'db',
        summary: 'check the database or rebuild its indexes',
        load: async () => (await import('./verbs/db.ts')).dbVerb,
      },
      {
        name: 'completion',
        summary: 'print a completion script for bash, zsh or fish',
        load: async () => (await import('./verbs/completion.ts')).completionVerb(verbs),
      },
    ],
  },
]

export const verbs: readonly VerbEntry[] = verbGroups.flatMap((group) => group.verbs)
