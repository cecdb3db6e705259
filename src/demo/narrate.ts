/**
 * What the demo prints: the agent's steps, Pawl's answers, and the proof at the end.
 */

import type { JsonObject } from '../core/json.ts'
import type { StepResult } from './demo-agent.ts'
import type { DemoStep } from './demo-script.ts'

/** One step and its result. */
export function stepLines(step: DemoStep, result: StepResult): string {
  const [mark, text] = resultText(result)
  return `  agent  ${step.title}${detailOf(step)}\n   pawl  ${mark} ${text}\n\n`
}

function detailOf(step: DemoStep): string {
  switch (step.kind) {
    case 'shell':
      return `: ${step.command}`
    case 'signal':
      return `: ${step.name}${step.data === null ? '' : ` ${shortened(step.data)}`}`
    case 'test':
      return ''
    default:
      return `: ${step.path}`
  }
}

const dataCharsMax = 60

function shortened(data: JsonObject): string {
  const text = JSON.stringify(data)
  return text.length <= dataCharsMax ? text : `${text.slice(0, dataCharsMax)}…`
}

function resultText(result: StepResult): readonly [mark: string, text: string] {
  switch (result.kind) {
    case 'done':
      return ['✓', 'allowed']
    case 'denied':
      return ['✗', result.reason]
    case 'tested':
      return result.exitCode === 0
        ? ['✓', 'saw the tests pass (exit code 0)']
        : ['✓', `saw the tests fail (exit code ${result.exitCode ?? 'unknown'})`]
    case 'moved':
      return ['✓', `moved to \`${result.stage}\``]
    case 'waiting':
      return ['…', 'waits for you: approve or refuse it on the page']
  }
}

type Verified =
  | { readonly ok: true; readonly count: number }
  | { readonly ok: false; readonly problem: string }

/** What the record holds, and that nobody has changed it. */
export function proofLines(
  verified: Verified,
  events: readonly { type: string }[],
  command: string,
): string {
  const count = (type: string): number => events.filter((one) => one.type === type).length
  const chain = verified.ok
    ? `${verified.count} records, and their hash chain is intact`
    : `the record is damaged: ${verified.problem}`
  return [
    'The bug is fixed, and this is on record:',
    `  ${count('call.allowed')} calls allowed, ${count('call.denied')} denied`,
    `  ${count('signal.rejected')} claims rejected, because Pawl saw something else`,
    `  ${count('approval.granted')} approval, by you`,
    `  ${chain}`,
    '',
    'Next: look at the run on the page, and in a repository of yours run:',
    `  ${command} init`,
    '',
  ].join('\n')
}
