/**
 * Reads what follows a command word. Each command has its own syntax; errors are explained. Must
 * not know terminals.
 */
import type { Json, JsonObject } from '../../../core/json.ts'
import { asObject, own } from '../../../core/json.ts'
import { microUsd } from '../../../core/money.ts'
import { timePattern, type WalkAction } from '../../../testing/walk.ts'
import { beginningOf, type PlayInput, type PlaySignal, textFields, unclear } from './input.ts'
import { looksLikeData, parseJsonValue, readData } from './read-data.ts'

/** The meaning of a command; `text` of the spoken is what follows its word. */
export function readCommand(name: string, spoken: PlaySignal): PlayInput {
  const reader = own(readers, name)
  return reader === undefined
    ? unclear(`unknown command \`${name}\``, '`help` lists the commands')
    : reader(spoken)
}

type Reader = (spoken: PlaySignal) => PlayInput

const readers: Readonly<Record<string, Reader>> = {
  submit: (spoken) => readSubmit(spoken, null),
  goto: readGoto,
  call: readCallLine,
  'call!': readCallAndReport,
  ok: ({ text, branch }) =>
    one({ kind: 'report', report: { ok: true, ...outputOf(text) }, branch }),
  fail: ({ text, branch }) =>
    one({ kind: 'report', report: { ok: false, ...outputOf(text) }, branch }),
  report: readReport,
  done: readDone,
  approve: ({ text, branch }) => one({ kind: 'approve', note: text, branch }),
  refuse: ({ text, branch }) => one({ kind: 'refuse', note: text, branch }),
  pause: readPause,
  resume: readResume,
  force: readForce,
  wait: readWait,
  look: ({ branch }) => ({ kind: 'look', branch }),
  vars: ({ branch }) => ({ kind: 'vars', branch }),
  log: () => ({ kind: 'log' }),
  draw: () => ({ kind: 'draw' }),
  map: () => ({ kind: 'map' }),
  help: ({ text }) => ({ kind: 'help', word: text }),
  undo: readUndo,
  save: ({ text }) => readSave(text, 'keep'),
  'save!': ({ text }) => readSave(text, 'replace'),
  restart: () => ({ kind: 'restart' }),
  quit: () => ({ kind: 'quit' }),
}

function one(act: WalkAction, note = ''): PlayInput {
  return { kind: 'acts', acts: [act], note }
}

// ── forms ───────────────────────────────────────────────────────────────────

function readSubmit({ text, situation, branch }: PlaySignal, goTo: string | null): PlayInput {
  if (situation.view.dialect !== 'steps') {
    return unclear('only a form has fields to submit', 'send one of the names under `send`')
  }
  const read = readData(text, textFields(situation))
  if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
  return one({ kind: 'submit', inputs: read.data, goTo, branch })
}

function readGoto(spoken: PlaySignal): PlayInput {
  const { name, rest } = takeName(spoken.text, Object.keys(spoken.situation.machine.stages))
  if (name === '') return unclear('`goto` needs a step', 'write `goto STEP field=value`')
  return readSubmit({ ...spoken, text: rest }, name)
}

/** A known name in front of a text, or else its first word. */
function takeName(text: string, known: readonly string[]): { name: string; rest: string } {
  const name = beginningOf(text, known) ?? text.split(/\s/, 1)[0] ?? ''
  return { name, rest: text.slice(name.length).trim() }
}

// ── calls ───────────────────────────────────────────────────────────────────

/** What a bare word behind a well-known tool means. */
const bareKeys: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Edit: 'file_path',
  Write: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
  Glob: 'pattern',
  Grep: 'pattern',
  WebFetch: 'url',
  WebSearch: 'query',
}

/** WHY: where edits are limited, one that does not say how large it is would be denied. */
const smallTexts: Readonly<Record<string, JsonObject>> = {
  Edit: { old_string: 'old', new_string: 'new' },
  Write: { content: 'new' },
}

function readCallLine(spoken: PlaySignal): PlayInput {
  const { text, situation, branch } = spoken
  const pending = situation.view.pendingCall
  if (text === '') {
    if (pending === null)
      return unclear('`call` needs a tool', 'write for example `call Read README.md`')
    return one({ kind: 'call', tool: pending.name, input: pending.arguments, branch })
  }
  const { tools } = situation.view
  const { name: tool, rest } = takeName(text, tools === 'all' ? [] : tools)
  if (rest === '') return one({ kind: 'call', tool, input: pendingInput(spoken, tool), branch })
  const commandTool = situation.stage.rule.commandTool
  if (tool === commandTool || tool === 'Bash') {
    const object = rest.startsWith('{') ? asObject(parseJsonValue(rest)) : null
    return one({ kind: 'call', tool, input: object ?? { command: rest }, branch })
  }
  if (looksLikeData(rest)) {
    const read = readData(rest)
    if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
    return one({ kind: 'call', tool, input: read.data, branch })
  }
  const key = own(bareKeys, tool)
  if (key === undefined) {
    const hint = `write \`call ${tool} key=value\` or \`call ${tool} {"key": …}\``
    return unclear(`it is unclear which input of \`${tool}\` \`${rest}\` is`, hint)
  }
  const small = own(smallTexts, tool)
  const note = `read as \`${key}\`${small === undefined ? '' : ', one line of text'}`
  return one({ kind: 'call', tool, input: { [key]: rest, ...small }, branch }, note)
}

/** The queued call needs not be written out: its tool is enough. */
function pendingInput({ situation }: PlaySignal, tool: string): JsonObject {
  const pending = situation.view.pendingCall
  return pending?.name === tool ? pending.arguments : {}
}

function readCallAndReport(spoken: PlaySignal): PlayInput {
  const input = readCallLine(spoken)
  if (input.kind !== 'acts') return input
  const report: WalkAction = { kind: 'report', report: { ok: true }, branch: spoken.branch }
  return { ...input, acts: [...input.acts, report] }
}

type ReportAct = Extract<WalkAction, { kind: 'report' }>['report']

function outputOf(text: string): ReportAct {
  return text === '' ? {} : { output: text }
}

const reportKeys = ['ok', 'output', 'exit_code', 'bytes', 'cost_usd'] as const

function readReport({ text, branch }: PlaySignal): PlayInput {
  const read = readData(text)
  if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
  const { data } = read
  const unknown = Object.keys(data).find((key) => !reportKeys.some((known) => known === key))
  if (unknown !== undefined) {
    return unclear(
      `a report has no field \`${unknown}\``,
      `the fields are ${reportKeys.join(', ')}`,
    )
  }
  const wrong = wrongInReport(data)
  if (wrong !== null)
    return unclear(wrong, '`ok` is true or false, `output` is text, the others are numbers')
  return one({ kind: 'report', report: reportOf(data), branch })
}

function wrongInReport(data: JsonObject): string | null {
  const ok = own(data, 'ok')
  if (ok !== undefined && typeof ok !== 'boolean') return '`ok` must be true or false'
  for (const key of ['exit_code', 'bytes', 'cost_usd'] as const) {
    const value = own(data, key)
    const isWrong = typeof value !== 'number' || (key !== 'exit_code' && value < 0)
    if (value !== undefined && isWrong) return `\`${key}\` must be a number`
  }
  return null
}

function reportOf(data: JsonObject): ReportAct {
  const output = own(data, 'output')
  const exitCode = own(data, 'exit_code')
  const bytes = own(data, 'bytes')
  const cost = own(data, 'cost_usd')
  return {
    ok: own(data, 'ok') !== false,
    ...(output === undefined ? {} : { output: outputText(output) }),
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    ...(typeof bytes === 'number' ? { bytes } : {}),
    ...(typeof cost === 'number' ? { costMicroUsd: microUsd(cost) } : {}),
  }
}

function outputText(output: Json): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}

// ── the rest ────────────────────────────────────────────────────────────────

function readDone({ text, branch, situation }: PlaySignal): PlayInput {
  if (text === '') {
    const names = Object.keys(situation.view.branches)
    const hint = names.length === 0 ? 'no fork is open' : `one of: ${names.join(', ')}`
    return unclear('`done` needs the name of a branch', hint)
  }
  return one({ kind: 'signal', name: `BRANCH_DONE:${text}`, data: null, branch })
}

function readPause({ text, branch }: PlaySignal): PlayInput {
  if (text === '' || text === 'agent') {
    return one({ kind: 'pause', by: 'agent', release: false, branch })
  }
  if (text === 'person') return one({ kind: 'pause', by: 'person', release: false, branch })
  if (text === 'release') return one({ kind: 'pause', by: 'person', release: true, branch })
  return unclear(
    `unknown command \`pause ${text}\``,
    'write `pause`, `pause person` or `pause release`',
  )
}

function readResume({ text, branch }: PlaySignal): PlayInput {
  if (text === '' || text === 'agent') return one({ kind: 'resume', by: 'agent', branch })
  if (text === 'person') return one({ kind: 'resume', by: 'person', branch })
  return unclear(`unknown command \`resume ${text}\``, 'write `resume` or `resume person`')
}

function readForce({ text, branch, situation }: PlaySignal): PlayInput {
  const { name, rest } = takeName(text, Object.keys(situation.machine.stages))
  if (name === '') return unclear('`force` needs a stage', 'write `force STAGE key=value`')
  const read = readData(rest)
  if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
  return one({ kind: 'force', stage: name, vars: read.data, branch })
}

function readWait({ text, branch }: PlaySignal): PlayInput {
  if (timePattern.test(text)) return one({ kind: 'wait', time: text, branch })
  return unclear(`\`${text}\` is not a time`, 'write `wait 500ms`, `61s`, `5m`, `2h` or `1d`')
}

function readUndo({ text }: PlaySignal): PlayInput {
  if (text === '') return { kind: 'undo', count: 1 }
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count > 0) return { kind: 'undo', count }
  return unclear(`unknown command \`undo ${text}\``, 'write `undo`, or `undo 3` for three inputs')
}

function readSave(text: string, existing: 'keep' | 'replace'): PlayInput {
  if (text === '') return unclear('`save` needs a file', 'write `save walk.json`')
  return { kind: 'save', file: text, mayReplace: existing === 'replace' }
}
