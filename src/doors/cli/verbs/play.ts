/**
 * `pawl play`: steps through a definition; the user is the agent.
 */

import { resolve } from 'node:path'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { startWalk, type Walk, type WalkSetting } from '../../../testing/walk.ts'
import { counted } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { loadPolicies } from '../judge/load-policies.ts'
import { type LocatedFinding, locatedText } from '../locate-findings.ts'
import { readOptions, usage } from '../options.ts'
import { type Chosen, type Loaded, loadDefinition } from '../play/load.ts'
import { playScript } from '../play/play-script.ts'
import { playTerminal } from '../play/play-terminal.ts'
import { lineCharsMax } from '../play/read-line.ts'
import { saverFor } from '../play/save-file.ts'
import type { Session } from '../play/session.ts'
import { linesOf } from '../play/stream-lines.ts'
import { readVars } from '../remote/read-values.ts'

const help: VerbHelp = {
  usage: ['play [OPTIONS] FILE'],
  about: `\
Shows the current stage: the instructions, the tools and limits, and what can be
sent. You type what the agent or a person would do, and Pawl shows each decision
and the reason for it. Nothing is stored and no tool is called. Without a
terminal, lines are read from standard input.`,
  options: [
    ['--script FILE', 'read lines from FILE; `-` means standard input'],
    ['--strict', 'exit with 1 if anything was rejected or denied'],
    ['--json', 'print one JSON object per line: { "input", "reply", "events", "view" }'],
    ['--var KEY=VALUE', 'start with this value; repeatable. VALUE is JSON if it parses as JSON'],
    ['--data JSON', 'start with these values, as one object'],
    ['--stage NAME', 'start in this stage'],
    ['--task ID', 'the task to play, if the file has several'],
    ['--policy FILE', 'apply a policy to the run; repeatable, highest authority first'],
  ],
  notes: `\
Lines:
  READY                     send a signal or an answer
  READY coverage=92         … with data; also READY {"coverage": 92}
  name=Ann phone="123"      submit fields of a form; goto STEP name=Ann
  call Bash npm test        check a tool call; then ok, fail or report the result
  call! Edit src/a.ts       the same, and report success at once
  approve, refuse           decide a pending approval
  @lint PASS, done lint     address a branch of a fork; mark it as done
  undo, save FILE, help     go back; save the session as a case; list all commands`,
  examples: [
    'play examples/workflow/tdd-bug-fix.json',
    'play examples/workflow/tdd-bug-fix.json --stage red --script -',
  ],
  exits: {
    0: 'every line was understood',
    1: 'with --strict: something was rejected or denied',
    2: 'usage error, a line was not understood, or the definition cannot be played',
  },
}

const kinds = {
  script: 'text',
  strict: 'flag',
  json: 'flag',
  var: 'list',
  data: 'text',
  stage: 'text',
  task: 'text',
  policy: 'list',
} as const

export const playVerb: Verb = {
  help,
  run: runPlay,
}

async function runPlay(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('play', args, kinds)
  const [name] = files
  if (name === undefined) throw usage('play', 'name a definition to play')
  if (files.length > 1) throw usage('play', 'name only one definition')
  const vars = readVars(values)
  const loaded = loadDefinition(name, io.cwd, values.task)
  const format = values.json ? 'json' : 'text'
  const { laid, errors } = loadPolicies(values.policy, io.cwd, 'case')
  const wrong = [...loaded.findings.filter((one) => one.severity === 'error'), ...errors]
  if (loaded.chosen === null || wrong.length > 0) return tellErrors(wrong, format, io)
  const policies = laid.map(({ policy }) => policy)
  const session: Session = {
    walk: begin(loaded.chosen, { stage: values.stage, vars, policies }),
    past: [],
    frame: io,
    save: saverFor(loaded.chosen, { cwd: io.cwd, laid }),
  }
  if (format === 'text') tellWarnings(loaded, name, io)
  if (values.script === null && !values.json && isPersonThere(io)) return playTerminal(session, io)
  const style = { format, isStrict: values.strict } as const
  return playScript(session, scriptLines(values.script, io), { io, style })
}

/** Keys come from a person and answers go to one. */
function isPersonThere(io: Io): boolean {
  return io.isTerminal && 'isTTY' in io.input && io.input.isTTY === true
}

function scriptLines(script: string | null, io: Io): AsyncIterable<string> | Iterable<string> {
  if (script === null || script === '-') return linesOf(io.input, lineCharsMax)
  return readText(resolve(io.cwd, script), script).split(/\r?\n/)
}

function begin(
  { machine, library }: Chosen,
  from: Pick<WalkSetting, 'stage' | 'vars' | 'policies'>,
): Walk {
  const started = startWalk({ machine, library, ...from })
  if (!('kind' in started)) return started
  const { reason, hint } = started
  throw new PawlError('USAGE', `the run cannot start: ${reason}`, { hint })
}

function tellErrors(errors: readonly LocatedFinding[], format: 'text' | 'json', io: Io): number {
  if (format === 'json') {
    const findings = errors.map(({ excerpt: _, ...finding }) => finding)
    io.out(`${JSON.stringify({ input: null, findings })}\n`)
    return 2
  }
  for (const one of errors) io.err(`${locatedText(one, io)}\n`)
  io.err(`${counted(errors.length, 'error')}: a definition with errors cannot start\n`)
  return 2
}

function tellWarnings(loaded: Loaded, name: string, io: Io): void {
  const count = loaded.findings.length
  if (count > 0) io.err(`${counted(count, 'warning')}, see \`pawl check ${name}\`\n`)
}
