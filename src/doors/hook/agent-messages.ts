/**
 * Texts for the agent: why a call was refused and what it can do instead, where its run is, and
 * that the run is not finished. Decides nothing.
 */

import { assertNever } from '../../core/assert.ts'
import { briefWithoutRules, rulesText } from '../../core/dialects/rules-text.ts'
import type { View } from '../../core/dialects/view.ts'
import type { Alternative } from '../../core/engine/types.ts'
import { ruleText } from '../../core/judge/rule-answer.ts'
import { budgetText } from '../../core/money.ts'
import type { CallAnswer } from '../../runtime/calls/calls.ts'
import type { RunHead } from '../../runtime/ports.ts'

/** Letters of a standing: some 400 tokens, counted at four letters each. */
const standingCharsMax = 1_600
const briefCharsMax = 1_000
const listedMax = 12
/** What an author calls a stage. */
const nouns = { workflow: 'state', process: 'state', steps: 'step' } as const

type Verdict = Pick<CallAnswer, 'code' | 'reason' | 'rule' | 'document' | 'hint' | 'instead'>

/** Why a call does not happen. */
export function refusalText(reply: Verdict): string {
  const { hint } = reply
  const instead = reply.instead.length === 0 ? '' : `you can: ${insteadText(reply.instead)}`
  return sentences([
    refusedText(reply),
    // The hint has the ways in it, as far as one line goes.
    sentence(hint === '' ? instead : hint),
  ])
}

function insteadText(instead: readonly Alternative[]): string {
  return instead.slice(0, listedMax).map(wayText).join('; ')
}

function wayText(way: Alternative): string {
  switch (way.kind) {
    case 'tool':
      return `use the tool ${way.name}${asksText(way.asks)}`
    case 'command':
      return `run \`${way.entry}\`${asksText(way.asks)}`
    case 'signal':
      return `send ${way.name}${way.needs.length === 0 ? '' : ` with ${way.needs.join(', ')}`}`
    case 'file':
      return `change ${way.path}`
    case 'wait':
      return 'wait and try again'
    default:
      return assertNever(way)
  }
}

function asksText(asks: Asks): string {
  return asks ? ' (needs an approval)' : ''
}
type Asks = Extract<Alternative, { kind: 'tool' }>['asks']

/** A call that waits for a person. */
export function askText(approvalId: string, message: string): string {
  return sentences([
    `Pawl holds this call until a person approves it (approval ${approvalId}): ${message}.`,
    `A person runs \`pawl approve ${approvalId}\` or \`pawl refuse ${approvalId}\`; you cannot.`,
    'Once it is approved, make exactly the same call again; it is allowed once.',
  ])
}

type DenialText = Pick<Verdict, 'code' | 'reason' | 'rule' | 'document'>

function refusedText({ code, reason, ...named }: DenialText): string {
  const rule = ruleText(named)
  const by = [code, rule === null ? null : `rule ${rule}`].filter((one) => one !== null)
  return `Pawl denied this call: ${reason}${by.length === 0 ? '' : ` [${by.join(', ')}]`}.`
}

function moneyText({ budget }: View): string {
  if (budget === null || budget.warned === 0) return ''
  const [used, next] =
    budget.warned < 100
      ? ['nearly used up', 'finish soon']
      : ['used up', 'no more calls are allowed; end the run']
  return `The budget of the run is ${used}: ${budgetText(budget)}; ${next}.`
}

/** Where a run stands, as short as an agent's memory needs it. */
export function runBriefText(runId: string, view: View, notice: string): string {
  const text = sentences(
    [
      `[Pawl] You work on run ${runId} of \`${view.name}\`. Pawl checks every tool call.`,
      placeText(view),
      cut(briefWithoutRules(view), briefCharsMax),
      notice === '' ? '' : cut(notice, briefCharsMax / 2),
      view.status === 'running' ? rulesText(view.rules) : '',
      moneyText(view),
      view.approval === null
        ? ''
        : `Waiting for a person (approval ${view.approval.id}): ${view.approval.message}.`,
      onwardText(view),
    ],
    '\n',
  )
  return cut(text, standingCharsMax)
}

function placeText({ dialect, stage, status, reason }: View): string {
  const why = reason === '' ? '' : `: ${reason}`
  return `${capitalized(nouns[dialect])} \`${stage}\`, ${status}${why}.`
}

/** How the agent moves on. */
function onwardText({ dialect, signals, status, missing }: View): string {
  if (status !== 'running' || (signals.length === 0 && dialect !== 'steps')) return ''
  const listed = signals.slice(0, listedMax).join(', ')
  switch (dialect) {
    case 'workflow':
      return `To move on, call pawl_transition of the MCP server pawl with one of: ${listed}.`
    case 'process':
      return `To answer, call process_step of the MCP server pawl with one of: ${listed}.`
    case 'steps':
      return `To submit this step, call the submit tool of the MCP server pawl${
        missing.length === 0 ? '' : `; still missing: ${missing.slice(0, listedMax).join(', ')}`
      }.`
  }
}

/** No run: what holds anyway. */
export function noRunText(others: readonly RunHead[], holds: 'nothing' | 'policy'): string {
  return sentences([
    '[Pawl] This session has no run:',
    holds === 'nothing'
      ? "no policy applies to this folder, so all calls are allowed, except to Pawl's own files."
      : 'only the policies that apply to this folder are enforced.',
    others.length === 0
      ? ''
      : `Other sessions have open runs here: ${others.map(({ id }) => id).join(', ')}` +
        ' (a person can free one for this session with `pawl release RUN`).',
    'To start a run, call pawl_load_workflow of the MCP server pawl, or ask a person to run',
    '`pawl start NAME`.',
  ])
}

/** The agent wants to stop, and the run is not finished. */
export function unfinishedText(runId: string, view: View): string {
  return sentences([
    `Pawl: run ${runId} of \`${view.name}\` is not finished.`,
    `It is in ${nouns[view.dialect]} \`${view.stage}\`.`,
    onwardText(view),
    'Continue it, or pause it with the tool pawl_pause and say why.',
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

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax - 60).trimEnd()}… (call pawl_get_state for the full text)`
}
