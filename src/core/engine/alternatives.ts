/**
 * What the agent can do instead of a denied call. Nothing is guessed: each tool, command, file and
 * signal is tried on the current state, by the same rules that will judge it, and suggested only
 * if it would pass.
 */
import type { DenialCode } from '../errors.ts'
import { type HostId, hostIds, ownHostId } from '../hosts/registry.ts'
import { type JsonObject, own } from '../json.ts'
import { judge } from '../judge/judge.ts'
import type { RuleAnswer } from '../judge/rule-answer.ts'
import { touchedFiles } from '../judge/rule-on-counts.ts'
import { isUnlimited } from '../judge/rule-on-shell.ts'
import type { Stage } from '../machine/machine.ts'
import { describeEntry } from '../shell-view/describe-entry.ts'
import { readCall, toolNameCharsMax } from '../tools/read-call.ts'
import { toolOf } from '../tools/tool-names.ts'
import { formatHint } from './format-hint.ts'
import { commandsApart, formsOf, knownWords, nearestFirst, textOf } from './nearest-commands.ts'
import { sendSignal } from './send-signal.ts'
import type { Alternative, Call, EngineContext, RunState } from './types.ts'

/** How many of each kind are tried; what is beyond is not named. */
const toolsTriedMax = 64
const commandsTriedMax = 32
const signalsTriedMax = 24
const filesTriedMax = 16

type Denied = {
  readonly call: Call
  readonly denied: RuleAnswer & { readonly code: DenialCode }
}

/** The alternatives to a denied call, and its hint with them. */
export function suggestAlternatives(
  where: Required<EngineContext>,
  state: RunState,
  denied: Denied,
): { readonly instead: readonly Alternative[]; readonly hint: string } {
  const instead = alternativesTo(where, state, denied)
  return { instead, hint: formatHint(adviceOf(where, state, { ...denied, instead }), instead) }
}

/** What is possible now instead of a denied call. */
function alternativesTo(
  where: Required<EngineContext>,
  state: RunState,
  { call, denied }: Denied,
): readonly Alternative[] {
  const { code } = denied
  const isHeld = code === 'RUN_NOT_RUNNING' && state.status === 'paused'
  if (code === 'APPROVAL_PENDING' || isHeld) return [{ kind: 'wait' }]
  const stage = own(where.machine.stages, state.stage)
  if (code === 'RUN_NOT_RUNNING' || stage === undefined) return []
  const trial: Trial = { where, state, stage, call }
  const found: Alternative[] = []
  if (toolCodes.has(code)) found.push(...toolsNow(trial))
  if (formCodes.has(code))
    found.push(...commandsNow(trial, commandCodes.has(code) ? 'all' : 'near'))
  if (code === 'TOO_MANY_FILES') found.push(...filesNow(trial))
  found.push(...signalsNow(trial))
  if (hasRoomLater(where, denied)) found.push({ kind: 'wait' })
  return found
}

const toolCodes: ReadonlySet<DenialCode> = new Set([
  'TOOL_NOT_ALLOWED',
  'POLICY_DENIED',
  'RATE_LIMITED',
  'BUDGET_EXHAUSTED',
])
const commandCodes: ReadonlySet<DenialCode> = new Set(['COMMAND_NOT_ALLOWED', 'COMMAND_UNREADABLE'])
/** Denials of a command that may have a harmless form. */
const formCodes: ReadonlySet<DenialCode> = new Set([
  ...commandCodes,
  ...(['SHELL_WRITE_NOT_ALLOWED', 'ENV_BLOCKED'] as const),
])

/** A limit of a policy rolls on; those of stages and runs do not. */
function hasRoomLater({ around }: Required<EngineContext>, { by }: Denied['denied']): boolean {
  return by === 'limit' && around.meters !== null
}

type Trial = {
  readonly where: Required<EngineContext>
  readonly state: RunState
  readonly stage: Stage
  /** The call that was denied. */
  readonly call: Call
}

type Outcome = 'passes' | 'asks' | 'fails'

function tryCall({ where, state }: Trial, call: Call): Outcome {
  const { machine, envelope, around } = where
  const { decision } = judge(call, { machine, state, at: envelope.at, around })
  return decision === 'deny' ? 'fails' : decision === 'ask' ? 'asks' : 'passes'
}

/** The worst of several ways in which an alternative may be used. */
function tryAll(trial: Trial, calls: readonly Call[]): Outcome {
  const outcomes = calls.map((call) => tryCall(trial, call))
  if (outcomes.length === 0 || outcomes.includes('fails')) return 'fails'
  return outcomes.includes('asks') ? 'asks' : 'passes'
}

// ── tools ───────────────────────────────────────────────────────────────────

/** Listed tools that would pass with a harmless input. Where all are open, none is named. */
function toolsNow(trial: Trial): readonly Alternative[] {
  const { allow } = trial.stage.rule.tools
  if (allow === 'all') return []
  return [...new Set(allow)].slice(0, toolsTriedMax).flatMap((name): readonly Alternative[] => {
    const outcome = tryAll(trial, samplesOf(trial, name))
    return outcome === 'fails' ? [] : [{ kind: 'tool', name, asks: outcome === 'asks' }]
  })
}

/** Harmless calls of a tool that an author names: in Pawl's own spelling, and in its host's. */
function samplesOf(trial: Trial, name: string): readonly Call[] {
  if (name.length > toolNameCharsMax) return []
  const home = hostIds.find((host) => {
    const tool = toolOf(name, host)
    return tool.commonName !== null && tool.server === null
  })
  const spelled = new Set<HostId>([ownHostId, home ?? ownHostId])
  return [...spelled].map((host) => sampleOf(trial, name, host))
}

function sampleOf(trial: Trial, name: string, host: HostId): Call {
  const { where, state, call } = trial
  const place = { machine: where.machine, workspace: call.workspace, host }
  const bare = { ...readCall({ tool: name, input: {} }, place), reads: [], writes: [], edits: [] }
  switch (bare.act) {
    case 'shell':
      return shellSample(trial, name, place)
    case 'read':
    case 'search':
      return { ...bare, problem: null }
    case 'edit':
    case 'write': {
      // A file that counts already has room, if any has.
      const path = touchedFiles(state)[0] ?? 'file'
      const writes = [{ written: path, inside: path }]
      return { ...bare, writes, edits: [path], editLines: isSized(name) ? 1 : null, problem: null }
    }
    case 'web':
    case 'agent':
    case 'mcp':
    case 'own':
    case 'other':
      return bare
  }
}

/** Tools that remove or move a file never say how large the change is. */
function isSized(name: string): boolean {
  return !/^(?:delete|move|rename|copy)/i.test(name)
}

/** With a list, a shell is of use only as far as one of its entries passes. */
function shellSample(trial: Trial, tool: string, place: Parameters<typeof readCall>[1]): Call {
  const { commands } = trial.stage.rule
  const sample = (command: string): Call => readCall({ tool, input: { command } }, place)
  if (commands === null || isUnlimited(trial.stage)) return sample('true')
  const entries = commands.slice(0, commandsTriedMax).map(sampleEntry)
  return sample(entries.find((entry) => tryCall(trial, sample(entry)) !== 'fails') ?? '')
}

// ── commands, files, signals ────────────────────────────────────────────────

/**
 * Forms of the command that pass, and entries of the list that pass as they stand, through the tool
 * that was denied: what comes nearest to the denied command first.
 */
function commandsNow(trial: Trial, which: 'all' | 'near'): readonly Alternative[] {
  const { stage, call } = trial
  const apart = call.shell === null ? [] : commandsApart(call.shell)
  const texts = apart.map(textOf)
  const fine = apart.map((_, at) => outcomeOf(trial, texts[at] ?? '') !== 'fails')
  const denied = apart.find((_, at) => !fine[at])
  const wanted = denied === undefined ? wordsIn(call.input) : knownWords(denied)
  const entries = [...new Set(stage.rule.commands ?? [])].slice(0, commandsTriedMax)
  const ranked = nearestFirst(entries.map(sampleEntry), wanted)
  const near = ranked.filter((one) => one.nearness >= nearEnough).map(({ entry }) => entry)
  const forms = denied === undefined || call.shell === null ? [] : formsOf(call.shell, denied)
  // What is left when only the denied part is dropped.
  const rest = texts.filter((text, at): text is string => fine[at] === true && text !== null)
  const first = firstPassing(trial, [...forms, ...near, ...rest])
  const all = [...first, ...near, ...ranked.map(({ entry }) => entry)]
  const kept = which === 'near' ? first : all
  return [...new Set(kept)].flatMap((entry): readonly Alternative[] => {
    const outcome = outcomeOf(trial, entry)
    return outcome === 'fails' ? [] : [{ kind: 'command', entry, asks: outcome === 'asks' }]
  })
}

/** How much an entry has to have in common with a command to be what was meant. */
const nearEnough = 2

function firstPassing(trial: Trial, texts: readonly string[]): readonly string[] {
  const found = texts.find((text) => outcomeOf(trial, text) !== 'fails')
  return found === undefined ? [] : [found]
}

/** An entry as a command; a pattern at its end is left out, because it may match nothing. */
function sampleEntry(entry: string): string {
  return /^\S*[^\s*]\*+$/.test(entry) ? entry.replace(/\*+$/, '') : entry
}

function outcomeOf(trial: Trial, command: string): Outcome {
  const { where, call } = trial
  if (command === '') return 'fails'
  const { tool, act, commonName, capability } = call
  const place = { machine: where.machine, workspace: call.workspace }
  const read = readCall({ tool: 'Bash', input: { command } }, place)
  return tryCall(trial, { ...read, tool, act, commonName, capability })
}

/** The words of a text that could not be read. */
function wordsIn(input: JsonObject): readonly string[] {
  const text = Object.values(input).find((value) => typeof value === 'string')
  return typeof text === 'string' ? text.slice(0, 1_000).split(/[\s;&|()'"]+/) : []
}

/** Files that were changed already, where the same tool may change them again. */
function filesNow(trial: Trial): readonly Alternative[] {
  // A folder that a shell has changed is no file to edit again.
  const touched = touchedFiles(trial.state).filter((path) => !path.endsWith('/'))
  const files = touched.slice(0, filesTriedMax)
  return files.flatMap((path): readonly Alternative[] => {
    const again = { ...trial.call, writes: [{ written: path, inside: path }], edits: [path] }
    return tryCall(trial, again) === 'fails' ? [] : [{ kind: 'file', path }]
  })
}

/** Signals that the run would take as it stands, found out by sending them to a copy. */
function signalsNow({ where, state, stage }: Trial): readonly Alternative[] {
  const names = Object.keys(stage.signals).slice(0, signalsTriedMax)
  return names.flatMap((name): readonly Alternative[] => {
    const signal = { type: 'SendSignal', name, data: null, expectStage: null, goTo: null } as const
    const { reply, events } = sendSignal(where, state, signal)
    if (reply.kind === 'accepted') {
      const asks = events.some((event) => event.type === 'approval.requested')
      return [{ kind: 'signal', name, asks, needs: [] }]
    }
    const needs = reply.kind === 'refused' ? (reply.missing ?? []) : []
    return needs.length === 0 ? [] : [{ kind: 'signal', name, asks: false, needs }]
  })
}

// ── advice ──────────────────────────────────────────────────────────────────

type Taught = Denied & { readonly instead: readonly Alternative[] }

/** The word of the rule itself, unless the alternatives say it better. */
function adviceOf(
  { machine }: Required<EngineContext>,
  state: RunState,
  { call, denied, instead }: Taught,
): string {
  const { code, hint } = denied
  const commands = own(machine.stages, state.stage)?.rule.commands ?? null
  const isByList = commandCodes.has(code) && commands !== null && call.problem === null
  if (!isByList) return hint
  if (!instead.some((one) => one.kind === 'command')) {
    const like = commands.find((entry) => describeEntry(entry) !== null)
    return like === undefined
      ? 'no command is allowed here'
      : `only commands like \`${like}\` are allowed here`
  }
  return code === 'COMMAND_UNREADABLE' ? 'write it so that it can be analyzed before it runs' : ''
}
