/**
 * `pawl judge`: a dry run of the guard. A definition, a stage and calls go in; verdicts come out.
 */

import type { Family } from '../../../core/engine/family.ts'
import { type HostId, hostIds, ownHostId, toolVocabularies } from '../../../core/hosts/registry.ts'
import type { JsonObject } from '../../../core/json.ts'
import { asObject } from '../../../core/json.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { counted } from '../ansi.ts'
import { faultText } from '../fault-text.ts'
import { workspaceOf } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { type JudgeSession, judgeCallIn, startAt } from '../judge/judge-call.ts'
import { loadPolicies } from '../judge/load-policies.ts'
import { type CallLine, readCalls } from '../judge/read-calls.ts'
import { chainText, judgedJson, judgedText } from '../judge/show-judged.ts'
import { type LocatedFinding, locatedText } from '../locate-findings.ts'
import { oneOf, readOptions, usage } from '../options.ts'
import { loadDefinition } from '../play/load.ts'
import { parseJsonValue } from '../play/read-data.ts'
import { readVars } from '../remote/read-values.ts'

const help: VerbHelp = {
  usage: [
    'judge FILE --bash COMMAND [OPTIONS]',
    'judge FILE --tool NAME [--input JSON] [OPTIONS]',
    'judge FILE --calls CALLS.jsonl [OPTIONS]',
  ],
  about: `\
A dry run: Pawl starts a run of the definition in FILE, judges the call and
prints the verdict. Nothing is stored, no tool is called, and all limits are
still unused.`,
  options: [
    ['--bash COMMAND', "a shell command, as the host's shell tool would send it"],
    ['--tool NAME', 'a tool, by the name that the host uses'],
    ['--input JSON', 'with --tool: the input of the tool'],
    ['--calls FILE', 'one { "tool", "input", "stage" } per line; `-` means standard input'],
    ['--follow', 'with --calls: judge them in sequence in one run; each counts as successful'],
    ['--stage NAME', 'the stage of the run; default: the first stage'],
    ['--var KEY=VALUE', 'a value of the run; repeatable. VALUE is JSON if it parses as JSON'],
    ['--data JSON', 'the values of the run, as one object'],
    ['--policy FILE', 'apply a policy to the run; repeatable, highest authority first'],
    [
      '--workspace DIR',
      'the folder that paths are relative to; default: the current folder. ' +
        'Symbolic links in it are resolved',
    ],
    [
      '--host HOST',
      `the host whose tool names are used: ${hostIds.join(', ')}; default: ${ownHostId}, ` +
        'the names in definitions, which are those of Claude Code',
    ],
    ['--task ID', 'the task to use, if the file has several'],
    [
      '--explain',
      'show every check in order: run, tools, each command, variables, paths, edits, ' +
        'counts, each policy, each limit',
    ],
    ['--json', 'print one JSON object per line (see below)'],
  ],
  notes: `\
JSON output per call: { "stage", "tool", "input", "verdict", "code", "reason",
"hint", "instead", "rule": { "pointer", "file", "line", "column" }, "runs" }`,
  examples: [
    "judge examples/workflow/tdd-bug-fix.json --bash 'rm -rf build'",
    'judge examples/workflow/tdd-bug-fix.json --stage red --tool Read --explain',
  ],
  exits: {
    0: 'every call is allowed',
    1: 'a call is denied or needs an approval',
    2: 'usage error, or a call could not be judged',
  },
}

const kinds = {
  stage: 'text',
  var: 'list',
  data: 'text',
  policy: 'list',
  workspace: 'text',
  host: 'text',
  task: 'text',
  tool: 'text',
  input: 'text',
  bash: 'text',
  calls: 'text',
  follow: 'flag',
  json: 'flag',
  explain: 'flag',
} as const

type Values = ReturnType<typeof readOptions<typeof kinds>>['values']

export const judgeVerb: Verb = {
  help,
  run: runJudge,
}

async function runJudge(args: readonly string[], io: Io): Promise<number> {
  const { files, values } = readOptions('judge', args, kinds)
  const [name] = files
  if (name === undefined) throw usage('judge', 'name a definition to judge by')
  if (files.length > 1) throw usage('judge', 'name only one definition')
  const host = oneOf('judge', { name: 'host', value: values.host }, hostIds) ?? ownHostId
  const calls = callsOf(values, host, io)
  const vars = readVars(values)
  const workspace = workspaceOf(values.workspace, io.cwd)
  const loaded = loadDefinition(name, io.cwd, values.task)
  const policies = loadPolicies(values.policy, io.cwd, 'file')
  const errors = loaded.findings.filter((one) => one.severity === 'error')
  if (loaded.chosen === null || policies.errors.length > 0) {
    return tellErrors([...errors, ...policies.errors], values, io)
  }
  const court: JudgeSession = { chosen: loaded.chosen, laid: policies.laid, vars, workspace, host }
  return judgeAll(court, calls, { io, values })
}

// ── what is asked ───────────────────────────────────────────────────────────

type Calls = AsyncIterable<CallLine> | Iterable<CallLine>

function callsOf(values: Values, host: HostId, io: Io): Calls {
  const { tool, bash, calls, input, follow } = values
  const given = [tool, bash, calls].filter((one) => one !== null)
  if (given.length !== 1) {
    throw usage('judge', 'use exactly one of `--bash`, `--tool` and `--calls`')
  }
  if (input !== null && tool === null) throw usage('judge', '`--input` needs `--tool`')
  if (follow && calls === null) throw usage('judge', '`--follow` needs `--calls`')
  if (calls !== null) return readCalls(calls, io)
  const call =
    bash === null
      ? { tool: tool ?? '', input: inputOf(input), stage: null }
      : { tool: toolVocabularies[host].tools.shell, input: { command: bash }, stage: null }
  return [{ line: 0, call }]
}

function inputOf(text: string | null): JsonObject {
  if (text === null) return {}
  const input = asObject(parseJsonValue(text))
  if (input !== null) return input
  const hint = 'write it like \'{"file_path": "src/a.ts"}\''
  throw new PawlError('USAGE', '`--input` is not a JSON object', { hint })
}

function tellErrors(errors: readonly LocatedFinding[], { json }: Values, io: Io): number {
  if (json) {
    const findings = errors.map(({ excerpt: _, ...finding }) => finding)
    io.out(`${JSON.stringify({ findings })}\n`)
    return 2
  }
  for (const one of errors) io.err(`${locatedText(one, io)}\n`)
  io.err(`${counted(errors.length, 'error')}: a definition with errors cannot judge calls\n`)
  return 2
}

// ── judging ─────────────────────────────────────────────────────────────────

type Style = { readonly io: Io; readonly values: Values }
type Count = { allow: number; ask: number; deny: number; trouble: number }

async function judgeAll(court: JudgeSession, calls: Calls, style: Style): Promise<number> {
  const { io, values } = style
  const count: Count = { allow: 0, ask: 0, deny: 0, trouble: 0 }
  const starts = new Map<string | null, Family>()
  const familyIn = (stage: string | null): Family => {
    const family = starts.get(stage) ?? startAt(court, stage)
    starts.set(stage, family)
    return family
  }
  let followed = familyIn(values.stage)
  for await (const { line, call } of calls) {
    try {
      if ('message' in call) throw new PawlError('USAGE', call.message, { hint: call.hint })
      if (values.follow && call.stage !== null) throw stageInFollow()
      const family = values.follow ? followed : familyIn(call.stage ?? values.stage)
      const { judged, after } = judgeCallIn(court, family, call)
      followed = after
      count[judged.verdict] += 1
      show(judged, line, style)
    } catch (fault) {
      if (!(fault instanceof PawlError) || line === 0) throw fault
      count.trouble += 1
      io.err(`line ${line}: ${faultText(fault)}`)
    }
  }
  if (values.calls !== null && !values.json) io.out(`${countText(count)}\n`)
  if (count.trouble > 0) return 2
  return count.ask + count.deny > 0 ? 1 : 0
}

function stageInFollow(): PawlError {
  const hint = 'leave out `stage`, or drop `--follow`'
  return new PawlError('USAGE', 'with `--follow` a call cannot name its stage', {
    hint,
  })
}

function show(judged: Parameters<typeof judgedText>[0], line: number, { io, values }: Style): void {
  if (values.json) {
    io.out(judgedJson(judged, line === 0 ? null : line, values.explain ? 'whole' : 'short'))
    return
  }
  io.out(judgedText(judged, io))
  if (values.explain) io.out(chainText(judged.chain, io))
}

function countText({ allow, ask, deny, trouble }: Count): string {
  const unread = trouble === 0 ? '' : `, ${trouble} could not be judged`
  const calls = counted(allow + ask + deny + trouble, 'call')
  return `${calls}: ${allow} allowed, ${deny} denied, ${ask} need an approval${unread}`
}
