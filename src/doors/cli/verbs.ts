/**
 * The table of verbs. Each is loaded when it is called, so that help is there at once.
 */
import type { Verb } from './io.ts'

export type VerbEntry = {
  readonly name: string
  /** The same line as the verb's own summary; here so that the list needs no verb. */
  readonly summary: string
  readonly load: () => Promise<Verb>
}

export const verbs: readonly VerbEntry[] = [
  {
    name: 'check',
    summary: 'say what is wrong with definitions, and where',
    load: async () => (await import('./verbs/check.ts')).checkVerb,
  },
  {
    name: 'test',
    summary: 'play cases against definitions',
    load: async () => (await import('./verbs/test.ts')).testVerb,
  },
  {
    name: 'draw',
    summary: 'draw a definition as a picture',
    load: async () => (await import('./verbs/draw.ts')).drawVerb,
  },
  {
    name: 'play',
    summary: 'walk through a definition as the agent',
    load: async () => (await import('./verbs/play.ts')).playVerb,
  },
  {
    name: 'judge',
    summary: 'say what would happen to a tool call, by which rule, and what instead',
    load: async () => (await import('./verbs/judge.ts')).judgeVerb,
  },
  {
    name: 'convert',
    summary: 'write a definition in another dialect',
    load: async () => (await import('./verbs/convert.ts')).convertVerb,
  },
  {
    name: 'init',
    summary: 'put the agents that work in this folder under Pawl',
    load: async () => (await import('./verbs/init.ts')).initVerb,
  },
  {
    name: 'uninit',
    summary: 'take out what `pawl init` has put into this folder',
    load: async () => (await import('./verbs/uninit.ts')).uninitVerb,
  },
  {
    name: 'statusline',
    summary: 'print one line about the run here, for the status line of Claude Code',
    load: async () => (await import('./verbs/statusline.ts')).statuslineVerb,
  },
  {
    name: 'serve',
    summary: 'be the daemon, in the foreground',
    load: async () => (await import('./verbs/serve.ts')).serveVerb,
  },
  {
    name: 'open',
    summary: 'open the page of the daemon, signed in',
    load: async () => (await import('./verbs/open.ts')).openVerb,
  },
  {
    name: 'mcp',
    summary: "offer Pawl's tools to an agent over MCP",
    load: async () => (await import('./verbs/mcp.ts')).mcpVerb,
  },
  {
    name: 'gateway',
    summary: 'stand in front of other MCP servers and judge every call',
    load: async () => (await import('./verbs/gateway.ts')).gatewayVerb,
  },
  {
    name: 'status',
    summary: 'say how the daemon is doing',
    load: async () => (await import('./verbs/status.ts')).statusVerb,
  },
  {
    name: 'stop',
    summary: 'end the daemon',
    load: async () => (await import('./verbs/stop.ts')).stopVerb,
  },
  {
    name: 'start',
    summary: 'begin a run of a definition',
    load: async () => (await import('./verbs/start.ts')).startVerb,
  },
  {
    name: 'state',
    summary: 'say where a run stands and what can be sent',
    load: async () => (await import('./verbs/state.ts')).stateVerb,
  },
  {
    name: 'signal',
    summary: 'send a signal to a run',
    load: async () => (await import('./verbs/signal.ts')).signalVerb,
  },
  {
    name: 'wait',
    summary: 'return when a run has ended, moved, or asks a person',
    load: async () => (await import('./verbs/wait.ts')).waitVerb,
  },
  {
    name: 'runs',
    summary: 'list runs',
    load: async () => (await import('./verbs/runs.ts')).runsVerb,
  },
  {
    name: 'cost',
    summary: 'say what runs have cost',
    load: async () => (await import('./verbs/cost.ts')).costVerb,
  },
  {
    name: 'log',
    summary: 'tell what happened to a run, and prove it',
    load: async () => (await import('./verbs/log.ts')).logVerb,
  },
  {
    name: 'watch',
    summary: 'see runs move as it happens',
    load: async () => (await import('./verbs/watch.ts')).watchVerb,
  },
  {
    name: 'job',
    summary: 'run commands in a box, follow and end them',
    load: async () => (await import('./job/job.ts')).jobVerb,
  },
  {
    name: 'approvals',
    summary: 'list questions that wait for a person',
    load: async () => (await import('./verbs/approvals.ts')).approvalsVerb,
  },
  {
    name: 'approve',
    summary: 'agree to what a run asks',
    load: async () => (await import('./verbs/approve.ts')).approveVerb,
  },
  {
    name: 'refuse',
    summary: 'say no to what a run asks',
    load: async () => (await import('./verbs/refuse.ts')).refuseVerb,
  },
  {
    name: 'notify',
    summary: 'try the channels that reach people elsewhere',
    load: async () => (await import('./verbs/notify.ts')).notifyVerb,
  },
  {
    name: 'mail',
    summary: 'give the agent of a run a key to send out with',
    load: async () => (await import('./verbs/mail.ts')).mailVerb,
  },
  {
    name: 'people',
    summary: 'give people tokens of their own',
    load: async () => (await import('./verbs/people.ts')).peopleVerb,
  },
  {
    name: 'pause',
    summary: 'let a run rest',
    load: async () => (await import('./verbs/pause.ts')).pauseVerb,
  },
  {
    name: 'release',
    summary: 'let another session of an agent work on a run',
    load: async () => (await import('./verbs/release.ts')).releaseVerb,
  },
  {
    name: 'resume',
    summary: 'let a paused run go on',
    load: async () => (await import('./verbs/resume.ts')).resumeVerb,
  },
  {
    name: 'cancel',
    summary: 'end a run for good',
    load: async () => (await import('./verbs/cancel.ts')).cancelVerb,
  },
  {
    name: 'force',
    summary: 'put a run into a stage, where its definition has debug on',
    load: async () => (await import('./verbs/force.ts')).forceVerb,
  },
  {
    name: 'definitions',
    summary: 'list, show, add and remove definitions',
    load: async () => (await import('./verbs/definitions.ts')).definitionsVerb,
  },
  {
    name: 'memory',
    summary: 'show and delete what agents have noted down in this folder',
    load: async () => (await import('./verbs/memory.ts')).memoryVerb,
  },
  {
    name: 'tasks',
    summary: 'list the work that agents have noted down in this folder',
    load: async () => (await import('./verbs/tasks.ts')).tasksVerb,
  },
  {
    name: 'export',
    summary: 'write a whole run to a file',
    load: async () => (await import('./verbs/export.ts')).exportVerb,
  },
  {
    name: 'import',
    summary: 'take in a run that was exported',
    load: async () => (await import('./verbs/import.ts')).importVerb,
  },
  {
    name: 'db',
    summary: 'check the database, or rebuild what is projected from the logs',
    load: async () => (await import('./verbs/db.ts')).dbVerb,
  },
  {
    name: 'hook',
    summary: "answer a hook of an agent's host",
    load: async () => (await import('./verbs/hook.ts')).hookVerb,
  },
  {
    name: 'doctor',
    summary: 'say what is held on this machine, and prove it',
    load: async () => (await import('./verbs/doctor.ts')).doctorVerb,
  },
]
