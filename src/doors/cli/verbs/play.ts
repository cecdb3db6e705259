/**
 * `pawl play`: a walk through a definition in which the user is the agent.
 */
import { resolve } from 'node:path'
import type { JsonObject } from '../../../core/json.ts'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { startWalk, type Walk, type WalkSetting } from '../../../testing/walk.ts'
import { counted } from '../ansi.ts'
import type { Io, Verb } from '../io.ts'
import { loadPolicies } from '../judge/load-policies.ts'
import { type LocatedFinding, locatedText } from '../locate-findings.ts'
import { readOptions, usage } from '../options.ts'
import { linesOf } from '../play/lines.ts'
import { type Chosen, type Loaded, loadDefinition } from '../play/load.ts'
import { playScript } from '../play/play-script.ts'
import { playTerminal } from '../play/play-terminal.ts'
import { readData } from '../play/read-data.ts'
import { lineCharsMax } from '../play/read-line.ts'
import { saverFor } from '../play/save-file.ts'
import type { Session } from '../play/session.ts'

const help = `\
pawl play: walk through a definition; you are the agent

Usage: pawl play [OPTIONS] FILE

Shows where the run stands: what the agent is told, its tools and limits, what it may send. Takes
signals, answers, fields, tool calls and what persons do, and shows each decision and why.
Without a terminal, lines are read from the standard input.

Options:
  --script FILE  read lines from a file, \`-\` for the standard input
  --strict       exit 1 when the definition refused or denied anything
  --json         one JSON object per line: { "input", "reply", "events", "view" }
  --vars JSON    begin with these values (or key=value)
  --stage NAME   begin in this stage
  --task ID      which task of the file, where there are several
  --policy FILE  lay a policy over the run; several are laid from the highest authority down

Lines:
  READY                     send a signal or an answer
  READY coverage=92         … with data; also READY {"coverage": 92}
  name=Ann phone="123"      submit fields of a form; goto STEP name=Ann
  call Bash npm test        may this tool be called? ok, fail or report tells how it went
  call! Edit src/a.ts       the same, reported ok at once
  approve, refuse           decide what waits for a person
  @lint PASS, done lint     speak to a branch of a fork; say that it is done
  undo, save FILE, help     go back; write the walk as a case; everything else

Exit codes: 0 every line was understood, 1 with --strict when anything was refused,
            2 a line was not understood, or the definition can not be played
`

const kinds = {
  script: 'text',
  strict: 'flag',
  json: 'flag',
  vars: 'text',
  stage: 'text',
  task: 'text',
  policy: 'list',
} as const

export const playVerb: Verb = {
  name: 'play',
  summary: 'walk through a definition as the agent',
  help,
  run: runPlay,
}

async function runPlay(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('play', args, kinds)
  const [name] = files
  if (name === undefined) throw usage('play', 'no definition to play was named')
  if (files.length > 1) throw usage('play', 'one definition is played at a time')
  const vars = varsOf(values.vars)
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

function varsOf(text: string | null): JsonObject {
  const read = readData(text ?? '')
  if (read.ok) return read.data
  const { message, hint } = read.trouble
  throw new PawlError('USAGE', `\`--vars\`: ${message}`, { hint })
}

function begin(
  { machine, library }: Chosen,
  from: Pick<WalkSetting, 'stage' | 'vars' | 'policies'>,
): Walk {
  const started = startWalk({ machine, library, ...from })
  if (!('kind' in started)) return started
  const { reason, hint } = started
  throw new PawlError('USAGE', `the run does not start: ${reason}`, { hint })
}

function tellErrors(errors: readonly LocatedFinding[], format: 'text' | 'json', io: Io): number {
  if (format === 'json') {
    const findings = errors.map(({ excerpt: _, ...finding }) => finding)
    io.out(`${JSON.stringify({ input: null, findings })}\n`)
    return 2
  }
  for (const one of errors) io.err(`${locatedText(one, io)}\n`)
  io.err(`${counted(errors.length, 'error')}: a definition with errors never starts\n`)
  return 2
}

function tellWarnings(loaded: Loaded, name: string, io: Io): void {
  const count = loaded.findings.length
  if (count > 0) io.err(`${counted(count, 'warning')}, see \`pawl check ${name}\`\n`)
}
