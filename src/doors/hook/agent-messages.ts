/**
 * Texts for the agent: why a call was refused and what it can do instead, where its run is, and
 * that the run is not finished. Decides nothing.
 */

import { assertNever } from '../../core/assert.ts'
import { briefWithoutRules, rulesText } from '../../core/dialects/rules-text.ts'
import type { View } from '../../core/dialects/run-view.ts'
import { type HintWords, rewordHint } from '../../core/engine/format-hint.ts'
import type { AgentHostId } from '../../core/hosts/registry.ts'
import { ruleText } from '../../core/judge/rule-answer.ts'
import { budgetText } from '../../core/money.ts'
import { finderOf, lookingText, spellOwnTool, spellTools } from '../../core/tools/spell-tools.ts'
import type { CallAnswer } from '../../runtime/calls/calls.ts'
import type { RunHead } from '../../runtime/ports.ts'

/** The limits of texts, at four characters per token: 320 tokens, and 120. */
const briefCharsMax = 1_280
const refusalCharsMax = 480
const reasonCharsMin = 160
const instructionsCharsMax = 800
const listedMax = 12
const problemsShownMax = 3
/** What an author calls a stage. */
const nouns = { workflow: 'state', process: 'state', steps: 'step' } as const

type Verdict = Pick<CallAnswer, 'code' | 'reason' | 'rule' | 'document' | 'hint' | 'instead'>

/** The agent of a host that reads a text, and the dialect of its run; null: no run is known. */
export type AgentReader = { readonly host: AgentHostId; readonly dialect: View['dialect'] | null }

/** Why a call does not happen. */
export function refusalText(reply: Verdict, reader: AgentReader): string {
  const hint = sentence(rewordHint(reply.hint, reply.instead, wordsFor(reader)))
  // WHY the reason gives way: what was called is known, what to do next is not.
  const room = Math.max(reasonCharsMin, refusalCharsMax - hint.length)
  return cut(sentences([refusedText(reply, room), hint]), refusalCharsMax, reader.host)
}

/** Why nothing happens in a guarded folder whose hooks are gone. */
export function removedHooksText(workspace: string, problems: readonly string[]): string {
  const what = `Pawl guards \`${workspace}\`, and its hooks there are not in force`
  const how = 'every call is denied until a person restores them with `pawl init --restore`'
  return `[Pawl] ${what} (${problems.slice(0, problemsShownMax).join('; ')}): ${how}.`
}

/** How a hint names things for the agent of a host. */
function wordsFor({ host, dialect }: AgentReader): HintWords {
  return {
    tools: (written) => {
      const spelled = spellTools(written, host)
      return { names: spelled.names, besides: lookingText(spelled, host) }
    },
    send: (signals) => sendText(dialect ?? 'workflow', signals, host),
    listCharsMax: 100,
    rest: `\`${spellOwnTool('pawl_get_state', host)}\` lists all`,
  }
}

/** How signals are sent. */
function sendText(dialect: View['dialect'], signals: string, host: AgentHostId): string {
  switch (dialect) {
    case 'workflow':
      return `to move on, call \`${spellOwnTool('pawl_transition', host)}\` (event ${signals})`
    case 'process':
      return `to answer, call \`${spellOwnTool('process_step', host)}\` (answer ${signals})`
    case 'steps':
      return `to submit this step, call \`${spellOwnTool('pawl_submit', host)}\``
    default:
      return assertNever(dialect)
  }
}

/** A call that waits for a person. */
export function askText(approvalId: string, message: string): string {
  return sentences([
    `Pawl holds this call until a person approves it (approval ${approvalId}): ${message}.`,
    `A person runs \`pawl approve ${approvalId}\` or \`pawl refuse ${approvalId}\`; you cannot.`,
    'Once it is approved, make exactly the same call again; it is allowed once.',
  ])
}

type DenialText = Pick<Verdict, 'code' | 'reason' | 'rule' | 'document'>

function refusedText({ code, reason, ...named }: DenialText, charsMax: number): string {
  const rule = ruleText(named)
  const by = [code, rule === null ? null : `rule ${rule}`].filter((one) => one !== null)
  const [begin, end] = ['Pawl denied this call: ', by.length === 0 ? '.' : ` [${by.join(', ')}].`]
  return `${begin}${shortened(reason, charsMax - begin.length - end.length - 1)}${end}`
}

function moneyText({ budget }: View): string {
  if (budget === null || budget.warned === 0) return ''
  const [used, next] =
    budget.warned < 100
      ? ['nearly used up', 'finish soon']
      : ['used up', 'no more calls are allowed; end the run']
  return `The budget of the run is ${used}: ${budgetText(budget)}; ${next}.`
}

/** What the agent gets to know about its run. */
export type RunBrief = {
  readonly runId: string
  readonly view: View
  readonly notice: string
  readonly host: AgentHostId
}

/** The state of a run, in as few words as an agent needs. */
export function runBriefText({ runId, view, notice, host }: RunBrief): string {
  // INVARIANT: the rules and how to move on are never shortened; the author's text is.
  const rest = sentences(
    [
      notice === '' ? '' : shortened(notice, instructionsCharsMax / 2),
      view.status === 'running' ? rulesText(view.rules, host) : '',
      moneyText(view),
      view.approval === null
        ? ''
        : `Waiting for a person (approval ${view.approval.id}): ${view.approval.message}.`,
      onwardText(view, host),
    ],
    '\n',
  )
  const head = `[Pawl] ${placeText(runId, view)} Pawl checks every tool call.`
  const room = Math.max(200, briefCharsMax - head.length - rest.length - 2)
  const words = cut(authorText(view), Math.min(room, instructionsCharsMax), host)
  return cut(sentences([head, words, rest], '\n'), briefCharsMax, host)
}

function placeText(runId: string, { name, dialect, stage, status, reason }: View): string {
  const how = status === 'running' ? '' : `, ${status}${reason === '' ? '' : `: ${reason}`}`
  return `Run ${runId} of \`${name}\` is in ${nouns[dialect]} \`${stage}\`${how}.`
}

/** The author's instructions for the stage, without the parts that are sent separately. */
function authorText(view: View): string {
  const beside = /^(?:(?:State|Step) `[^`]*` of `[^`]*`|Events: |Answer with one of: )/
  return briefWithoutRules(view)
    .split('\n\n')
    .filter((part) => !beside.test(part))
    .join('\n')
}

/** How the agent moves on. */
export function onwardText({ dialect, signals, status, missing }: View, host: AgentHostId): string {
  if (status !== 'running' || (signals.length === 0 && dialect !== 'steps')) return ''
  const listed = signals.slice(0, listedMax).map((name) => `\`${name}\``)
  const lacks =
    dialect !== 'steps' || missing.length === 0
      ? ''
      : `; still missing: ${missing.slice(0, listedMax).join(', ')}`
  const finder = finderOf(host)
  const find = finder === null ? '' : ` (if it is not loaded, find it with \`${finder}\`)`
  return `${capitalized(sendText(dialect, listed.join(' or '), host))}${find}${lacks}.`
}

type NoRunSituation = {
  readonly others: readonly RunHead[]
  readonly holds: 'nothing' | 'policy'
  readonly host: AgentHostId
}

/** A session without a run: the rules that apply to it anyway. */
export function noRunText({ others, holds, host }: NoRunSituation): string {
  return sentences([
    '[Pawl] This session has no run:',
    holds === 'nothing'
      ? "no policy applies to this folder, so all calls are allowed, except to Pawl's own files."
      : 'only the policies that apply to this folder are enforced.',
    others.length === 0
      ? ''
      : `Other sessions have open runs here: ${others.map(({ id }) => id).join(', ')}` +
        ' (a person can free one for this session with `pawl release RUN`).',
    `To start a run, call \`${spellOwnTool('pawl_load_workflow', host)}\`, or ask a person to run`,
    '`pawl start NAME`.',
  ])
}

/** The agent wants to stop, and the run is not finished. */
export function unfinishedText(runId: string, view: View, host: AgentHostId): string {
  return sentences([
    `Pawl: run ${runId} of \`${view.name}\` is not finished.`,
    `It is in ${nouns[view.dialect]} \`${view.stage}\`.`,
    onwardText(view, host),
    `If you cannot go on, call \`${spellOwnTool('pawl_pause', host)}\` with a reason.`,
  ])
}

function sentence(text: string): string {
  return text === '' ? '' : `${capitalized(text)}.`
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function sentences(parts: readonly string[], by = ' '): string {
  return parts.filter((part) => part !== '').join(by)
}

function cut(text: string, charsMax: number, host: AgentHostId): string {
  const where = ` (\`${spellOwnTool('pawl_get_state', host)}\` has the full text)`
  if (text.length <= charsMax) return text
  return `${shortened(text, charsMax - where.length)}${where}`
}

function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).trimEnd()}…`
}
