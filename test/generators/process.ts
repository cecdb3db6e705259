/**
 * Process definitions from their grammar: mostly valid, so that most of them run.
 */
import fc from 'fast-check'
import type { Json } from '../../src/core/json.ts'
import { maybe, pick, rarely, some, written } from './generator-helpers.ts'
import { signalName, stageNames, toolName } from './names.ts'
import { policy } from './policy.ts'

const answerPlan = fc.record({
  name: signalName,
  next: fc.option(some, { freq: 5 }),
  action: maybe(fc.constantFrom('block', 'warn', 'complete', 'notify_human'), 1),
})
type AnswerPlan = { next: number | null; action: string | undefined }

const plan = fc.record({
  names: stageNames(2, 7),
  finalsCount: fc.integer({ min: 0, max: 2 }),
  initial: some,
  answers: fc.array(fc.array(answerPlan, { minLength: 1, maxLength: 4 }), {
    minLength: 7,
    maxLength: 7,
  }),
  prompt: maybe(fc.constantFrom('Begin.', '', '{{x}}'), 1),
  budget: maybe(fc.constantFrom(0.01, 1, 5), 1),
  tools: maybe(fc.subarray(['memory_read', 'task_list', 'process_step', 'Read']), 1),
  mail: maybe(fc.record({ max_emails_per_session: fc.integer({ min: 1, max: 3 }) }), 1),
  policy: maybe(policy, 1),
  tool: toolName,
  isBroken: rarely(30),
})

export type EndGates = 'any' | 'every'

function answerOf(one: AnswerPlan, names: readonly string[], how: How): Json {
  const target = one.next === null ? null : pick(names, one.next)
  if (how.gates === 'any') return written({ next: target, action: one.action }) as Json
  // Every end that would complete the run waits for a person; a block is no completion.
  if (target === null)
    return { next: null, action: one.action === 'block' ? 'block' : 'notify_human' }
  if (how.finals.includes(target)) return { next: target, action: 'notify_human' }
  return { next: target }
}

type How = { readonly gates: EndGates; readonly finals: readonly string[] }

/** A process; with `every`, no answer completes a run without asking a person. */
export function processDefinition(gates: EndGates): fc.Arbitrary<Json> {
  return plan.map((one) => {
    const finals = one.names.slice(
      one.names.length - Math.min(one.finalsCount, one.names.length - 1),
    )
    const open = one.names.filter((name) => !finals.includes(name))
    const states = one.names.map((name, index) => {
      if (finals.includes(name)) return [name, { question: `Over: ${name}` }] as const
      const answers = (one.answers[index] ?? []).map(
        (answer) => [answer.name, answerOf(answer, one.names, { gates, finals })] as const,
      )
      return [
        name,
        { question: `What about ${name}?`, answers: Object.fromEntries(answers) },
      ] as const
    })
    return written({
      name: 'generated',
      initial: one.isBroken ? 'nowhere' : pick(open, one.initial),
      initial_prompt: one.prompt,
      states: Object.fromEntries(states),
      session_budget_usd: one.budget,
      allowed_tools: one.tools,
      email_config: one.mail,
      policy: one.policy,
    }) as unknown as Json
  })
}
