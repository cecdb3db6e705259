/**
 * What an agent is told through its host: why a call was refused and what is possible instead,
 * where its run stands, and that it is not finished.
 * Knows words. Must not decide anything.
 */

import { assertNever } from '../../core/assert.ts'
import { briefWithoutRules, rulesText } from '../../core/dialects/rules-text.ts'
import type { View } from '../../core/dialects/view.ts'
import type { Alternative } from '../../core/engine/types.ts'
import { ruleText } from '../../core/judge/answer.ts'
import { budgetText } from '../../core/money.ts'
import type { CallAnswer } from '../../runtime/calls/calls.ts'
import type { RunHead } from '../../runtime/ports.ts'

/** Letters of a standing: some 400 tokens, counted at four letters each. */
const standingCharsMax = 1_600
const briefCharsMax = 1_000
const listedMax = 12

type Verdict = Pick<CallAnswer, 'code' | 'reason' | 'rule' | 'document' | 'hint' | 'instead'>

/** Why a call does not happen. */
export function refusalText(reply: Verdict): string {
  const { hint } = reply
  const instead = reply.instead.length === 0 ? '' : `possible now: ${insteadText(reply.instead)}`
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
      return `the tool ${way.name}${asksText(way.asks)}`
    case 'command':
      return `\`${way.entry}\`${asksText(way.asks)}`
    case 'signal':
      return `to send ${way.name}${way.needs.length === 0 ? '' : ` with ${way.needs.join(', ')}`}`
    case 'file':
      return `to change ${way.path}`
    case 'wait':
      return 'to wait and try again'
    default:
      return assertNever(way)
  }
}

function asksText(asks: Asks): string {
  return asks ? ' (a person is asked)' : ''
}
type Asks = Extract<Alternative, { kind: 'tool' }>['asks']

/** A call that waits for a person. */
export function askText(approvalId: string, message: string): string {
  return sentences([
    `Pawl holds this call: a person has to decide (approval ${approvalId}): ${message}.`,
    `They do it with \`pawl approve ${approvalId}\` or refuse it; you cannot.`,
    'Once it is approved, make exactly the same call again and it passes, once.',
  ])
}

type Said = Pick<Verdict, 'code' | 'reason' | 'rule' | 'document'>

function refusedText({ code, reason, ...named }: Said): string {
  const rule = ruleText(named)
  const by = [code, rule === null ? null : `rule ${rule}`].filter((one) => one !== null)
  return `Pawl refused this call: ${reason}${by.length === 0 ? '' : ` [${by.join(', ')}]`}.`
}

function moneyText({ budget }: View): string {
  if (budget === null || budget.warned === 0) return ''
  const end =
    budget.warned < 100 ? 'come to an end soon' : 'no more calls pass; bring it to its end'
  return `Its budget is nearly used up: ${budgetText(budget)}; ${end}.`
}

/** Where a run stands, as short as an agent's memory needs it. */
export function runBriefText(runId: string, view: View, notice: string): string {
  const text = sentences(
    [
      `[Pawl] You work on run ${runId} of \`${view.name}\`; Pawl refuses what its stage forbids.`,
      `Stage \`${view.stage}\`, ${view.status}${view.reason === '' ? '' : `: ${view.reason}`}.`,
      cut(briefWithoutRules(view), briefCharsMax),
      notice === '' ? '' : cut(notice, briefCharsMax / 2),
      view.status === 'running' ? rulesText(view.rules) : '',
      moneyText(view),
      view.approval === null
        ? ''
        : `A person decides first (approval ${view.approval.id}): ${view.approval.message}.`,
      onwardText(view),
    ],
    '\n',
  )
  return cut(text, standingCharsMax)
}

/** How the agent moves on. */
function onwardText({ dialect, signals, status, missing }: View): string {
  if (status !== 'running' || (signals.length === 0 && dialect !== 'steps')) return ''
  const listed = signals.slice(0, listedMax).join(', ')
  switch (dialect) {
    case 'workflow':
      return `To move on, call pawl_transition of the MCP server pawl with one of: ${listed}.`
    case 'process':
      return `Answer with the tool process_step of the MCP server pawl, with one of: ${listed}.`
    case 'steps':
      return `Submit with the tool of the MCP server pawl${
        missing.length === 0 ? '' : `; still missing: ${missing.slice(0, listedMax).join(', ')}`
      }.`
  }
}

/** No run: what holds anyway. */
export function noRunText(others: readonly RunHead[], holds: 'nothing' | 'policy'): string {
  return sentences([
    '[Pawl] This session has no run:',
    holds === 'nothing'
      ? 'no policy is laid over this folder, so calls are free (Pawl itself stays out of reach).'
      : 'only the policy of this folder holds.',
    others.length === 0
      ? ''
      : `Runs of other sessions are open here: ${others.map(({ id }) => id).join(', ')}` +
        ' (`pawl release RUN` lets a person give one to this session).',
    'A run is started with the tool pawl_load_workflow of the MCP server pawl, or by a person with',
    '`pawl start NAME`.',
  ])
}

/** The agent wants to stop, and the run is not finished. */
export function unfinishedText(runId: string, view: View): string {
  return sentences([
    `Pawl: run ${runId} of \`${view.name}\` is not finished; it is in stage \`${view.stage}\`.`,
    onwardText(view),
    'Go on with it, or pause it with the tool pawl_pause and say why.',
  ])
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function sentences(parts: readonly string[], by = ' '): string {
  return parts.filter((part) => part !== '').join(by)
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  return `${text.slice(0, charsMax - 60).trimEnd()}… (pawl_get_state tells all of it)`
}
