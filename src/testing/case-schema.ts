/**
 * The format of a file of test cases: a definition, steps of a run, and expectations. The player
 * gives it meaning. Unlike in a definition, an unknown field is an error, because a misspelt
 * expectation would always pass.
 */
import { z } from 'zod'
import { freeObject, nameField, namesField } from '../core/dialects/common-schema.ts'
import { nodeKindOf, validateTree, withPick } from '../core/dialects/validate-tree.ts'
import { denialCodes, errorCodes, refusalCodes, warningCodes } from '../core/errors.ts'
import { evidenceGrades } from '../core/evidence/requirement.ts'
import type { Finding } from '../core/finding.ts'
import { finding, hasErrors } from '../core/finding.ts'
import type { Node } from '../core/source/source.ts'
import { member, memberOf } from '../core/source/source.ts'

export const caseEventTypes = [
  'run.started',
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.blocked',
  'run.failed',
  'run.cancelled',
  'stage.entered',
  'stage.forced',
  'signal.rejected',
  'signal.held',
  'inputs.collected',
  'inputs.cleared',
  'vars.written',
  'text.said',
  'warning.raised',
  'call.queued',
  'call.allowed',
  'call.asked',
  'call.waiting',
  'call.denied',
  'call.reported',
  'limit.reached',
  'approval.requested',
  'approval.endorsed',
  'approval.granted',
  'approval.refused',
  'approval.expired',
  'detour.begun',
  'detour.ended',
  'fork.opened',
  'fork.closed',
  'child.requested',
  'child.ended',
] as const

const statuses = [
  'running',
  'waiting',
  'paused',
  'completed',
  'blocked',
  'failed',
  'cancelled',
] as const

const isText = (node: Node): boolean => node.kind === 'scalar' && typeof node.value === 'string'

const text = z.string()
const allTools = z.literal('all')
const toolsExpected = withPick(z.union([allTools, namesField]), (node) =>
  node.kind === 'list' ? namesField : allTools,
)
const textOrTexts = withPick(z.union([text, namesField]), (node) =>
  node.kind === 'list' ? namesField : text,
)
const anyCode = z.literal('any')
const replyCodes = [...new Set([...refusalCodes, ...denialCodes])] as const
const knownCode = z.enum(replyCodes)
const codeExpected = withPick(z.union([anyCode, knownCode]), (node) =>
  node.kind === 'scalar' && node.value === 'any' ? anyCode : knownCode,
)

const policyRulePattern =
  /^\/policy\/((allow|ask|deny)\/\d+(\/(after(\/\d+)?|count|sum))?|default|repeated_failures)$/

const expectSchema = z
  .strictObject({
    verdict: z.enum(['allow', 'ask', 'deny']).optional().describe('The verdict of the call.'),
    code: codeExpected
      .optional()
      .describe('The code of the denial or rejection; `any` for any code.'),
    rule: z
      .string()
      .regex(policyRulePattern)
      .optional()
      .describe('The policy rule that decided, e.g. `/policy/deny/0`.'),
    stage: z.string().optional().describe('The stage the run is in.'),
    status: z.enum(statuses).optional().describe('The status of the run.'),
    vars: freeObject.optional().describe('Expected variables; `null` means absent or null.'),
    local: freeObject.optional().describe('The same for `local`.'),
    inputs: freeObject.optional().describe('The same for collected inputs.'),
    missing: namesField.optional().describe('Missing inputs, in order.'),
    tools: toolsExpected.optional().describe('Tools that the stage allows: `all` or names.'),
    signals: namesField.optional().describe('What the agent may send now, in any order.'),
    says: namesField.optional().describe('Texts queued by this step, in order.'),
    brief_contains: textOrTexts.optional().describe("Texts that the agent's brief must contain."),
    pending_call: z
      .strictObject({ name: text, arguments: freeObject.optional() })
      .nullable()
      .optional()
      .describe('The call queued by a `call` op, or null.'),
    input: freeObject.optional().describe('The input of an allowed call as it will be made.'),
    warnings: z
      .array(z.enum(warningCodes))
      .optional()
      .describe('Warnings that must be raised; others may be raised too.'),
    approval: z
      .strictObject({ message: text.optional(), kind: z.enum(['move', 'call']).optional() })
      .nullable()
      .optional()
      .describe('The approval now pending, or null.'),
    branches: z
      .record(z.string(), z.enum(['pending', ...statuses]))
      .optional()
      .describe('The status of each branch of a fork.'),
    events: z
      .array(z.enum(caseEventTypes))
      .optional()
      .describe('Events that must be recorded; others may be recorded too.'),
  })
  .meta({ id: 'expect' })

const around = {
  run: z.string().optional().describe('The branch that the step is about; default the main run.'),
  agent: z.string().optional().describe('Which agent of the host acts; default the main one.'),
  expect: expectSchema.optional().describe('What must be true after the step.'),
}
const who = z.enum(['agent', 'person'])
const decision = z.strictObject({
  by: z.string().optional().describe('Who decides; `agent` may not.'),
  note: z.string().optional().describe('A note for the agent.'),
})

const verbs = {
  signal: z.strictObject({
    signal: text.describe('The agent sends this event.'),
    data: freeObject.optional().describe('The data of the event.'),
    ...around,
  }),
  answer: z.strictObject({
    answer: text.describe('The agent gives this answer.'),
    stage: z.string().optional().describe('The state that the agent answers.'),
    ...around,
  }),
  submit: z.strictObject({
    submit: freeObject.describe('The agent submits these inputs.'),
    go_to_step: z.string().optional().describe('The step the agent wants to go to.'),
    ...around,
  }),
  call: z.strictObject({
    call: z
      .strictObject({ tool: text, input: freeObject.optional() })
      .describe('The agent wants to use a tool.'),
    ...around,
  }),
  report: z.strictObject({
    report: z
      .strictObject({
        ok: z.boolean().optional(),
        output: z.string().optional(),
        exit_code: z.number().nullable().optional(),
        bytes: z.number().optional(),
        cost_usd: z.number().optional(),
        seen_by: z
          .enum(evidenceGrades)
          .optional()
          .describe('Who saw how it ended: `host` (the default), `job` or `claimed`.'),
      })
      .describe('The result of the last allowed call.'),
    ...around,
  }),
  approve: z.strictObject({ approve: decision.describe('A person approves.'), ...around }),
  refuse: z.strictObject({ refuse: decision.describe('A person refuses.'), ...around }),
  pause: z.strictObject({
    pause: z
      .strictObject({ by: who.optional(), release: z.boolean().optional() })
      .describe('Pauses the run; `release` suspends its rules meanwhile.'),
    ...around,
  }),
  resume: z.strictObject({
    resume: z
      .strictObject({ by: who.optional(), release: z.boolean().optional() })
      .describe('Resumes the run.'),
    ...around,
  }),
  force: z.strictObject({
    force: z
      .strictObject({ stage: text, vars: freeObject.optional(), by: z.string().optional() })
      .describe('Moves the run to any stage, if `meta.debug` is on.'),
    ...around,
  }),
  change: z.strictObject({
    change: text.describe('Somebody changes this file of the workspace, outside of Pawl.'),
    ...around,
  }),
  wait: z.strictObject({
    wait: z
      .string()
      .regex(/^\d+(ms|s|m|h|d)$/)
      .describe('Advances the clock: `500ms`, `61s`, `2h`, `1d`.'),
    ...around,
  }),
  look: z.strictObject({
    look: z.literal(true).describe('Does nothing; only checks `expect`.'),
    ...around,
  }),
}

const verbNames = Object.keys(verbs)

const stepSchema = withPick(
  z
    .union([
      verbs.signal,
      verbs.answer,
      verbs.submit,
      verbs.call,
      verbs.report,
      verbs.approve,
      verbs.refuse,
      verbs.pause,
      verbs.resume,
      verbs.force,
      verbs.change,
      verbs.wait,
      verbs.look,
    ])
    .meta({ id: 'step' }),
  (node) => {
    if (node.kind !== 'object') {
      return { message: `a step must be an object with one verb, not ${nodeKindOf(node)}` }
    }
    const found = node.members.map((one) => one.key).filter((key) => verbNames.includes(key))
    const [verb] = found
    if (verb === undefined || found.length > 1) {
      const has = found.length === 0 ? 'none' : found.map((one) => `\`${one}\``).join(' and ')
      return {
        message: `a step must have one verb, this one has ${has}`,
        hint: verbNames.join(', '),
      }
    }
    return verbs[verb as keyof typeof verbs]
  },
)

const anyErrors = z.enum(['any', 'maybe'])
const errorList = z.array(z.enum(errorCodes))
const errorsExpected = withPick(z.union([anyErrors, errorList]), (node) =>
  isText(node) ? anyErrors : errorList,
)

const caseSchema = z
  .strictObject({
    $schema: z.string().optional(),
    id: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .describe('A unique id in lower case with hyphens.'),
    title: nameField.describe('What the case shows, as a sentence.'),
    level: z.enum(['must', 'should']).optional().describe('`should` does not fail the suite.'),
    why: z.string().optional().describe('A comment for readers.'),
    definition: freeObject.optional().describe('A definition in any dialect.'),
    definition_file: z.string().optional().describe('Or a file with the definition.'),
    definitions: z
      .record(z.string(), freeObject)
      .optional()
      .describe('Further definitions, for invoke.'),
    policy: freeObject.optional().describe('A policy that applies to the run.'),
    workspace: z.string().optional().describe('Base of relative paths; default `/workspace`.'),
    tools: z
      .array(
        z.looseObject({
          name: nameField.describe('The name of a host tool.'),
          input_schema: z.unknown().optional().describe('JSON Schema of its input.'),
        }),
      )
      .optional()
      .describe('Known tools of the host.'),
    start: z
      .strictObject({ stage: z.string().optional(), vars: freeObject.optional() })
      .optional()
      .describe('Start in another stage or with these variables.'),
    check: z
      .strictObject({
        errors: errorsExpected.optional().describe('Errors that must be found; `[]` for none.'),
        warnings: z
          .array(z.enum(warningCodes))
          .optional()
          .describe('Warnings that must be found; others may be found too.'),
      })
      .optional()
      .describe('What `pawl check` must find.'),
    steps: z.array(stepSchema).describe('The steps of the run, one verb each.'),
  })
  .meta({ id: 'case' })

const caseList = z.array(caseSchema)

/** A file of cases: one, or a list. */
export const casesSchema = withPick(z.union([caseSchema, caseList]), (node) =>
  node.kind === 'list' ? caseList : caseSchema,
)

export type Case = z.infer<typeof caseSchema>
export type CaseStep = z.infer<typeof stepSchema>

/** Everything that is wrong with a file of cases: its shape, then what only the whole can show. */
export function checkCases(root: Node): Finding[] {
  const findings = validateTree(casesSchema, root)
  if (hasErrors(findings)) return findings
  const seen = new Set<string>()
  for (const one of root.kind === 'list' ? root.items : [root]) {
    findings.push(...checkWhole(one))
    const id = member(one, 'id')
    const word = id?.kind === 'scalar' ? String(id.value) : ''
    if (seen.has(word)) findings.push(wrong(id ?? one, `the id \`${word}\` is already used`))
    seen.add(word)
  }
  return findings
}

function checkWhole(one: Node): Finding[] {
  const findings: Finding[] = []
  const has = (key: string): boolean => memberOf(one, key) !== undefined
  if (has('definition') === has('definition_file')) {
    findings.push(wrong(one, 'a case needs `definition` or `definition_file`, but not both'))
  }
  const steps = member(one, 'steps')
  const items = steps?.kind === 'list' ? steps.items : []
  if (items.length === 0 && !has('check')) {
    findings.push(wrong(one, 'a case needs `check` or `steps`'))
  }
  const check = member(one, 'check')
  const errors = check === undefined ? undefined : member(check, 'errors')
  const isRefused = errors?.kind === 'list' ? errors.items.length > 0 : isAny(errors)
  if (isRefused && items.length > 0) {
    findings.push(
      wrong(one, 'a definition with errors cannot start, so the case cannot have steps'),
    )
  }
  for (const item of items) findings.push(...checkExpect(item))
  return findings
}

function isAny(errors: Node | undefined): boolean {
  return errors?.kind === 'scalar' && errors.value === 'any'
}

function checkExpect(step: Node): Finding[] {
  const isCall = memberOf(step, 'call') !== undefined
  const isIdle = ['look', 'wait', 'change'].some((verb) => memberOf(step, verb) !== undefined)
  const expect = member(step, 'expect')
  if (expect === undefined) {
    const isMute = isCall || memberOf(step, 'look') !== undefined
    return isMute ? [wrong(step, 'this step expects nothing')] : []
  }
  const verdict = member(expect, 'verdict')
  const word = verdict?.kind === 'scalar' ? verdict.value : null
  const hasCode = memberOf(expect, 'code') !== undefined
  if (!isCall && verdict !== undefined) return [wrong(expect, 'only a call has a `verdict`')]
  if (isCall && verdict === undefined) return [wrong(expect, 'a call needs a `verdict`')]
  if (isIdle && hasCode) return [wrong(expect, 'this step cannot be rejected, so it has no `code`')]
  if (isCall && hasCode && word !== 'deny') {
    return [wrong(expect, 'only a denied call has a `code`')]
  }
  if (memberOf(expect, 'input') !== undefined && word !== 'allow') {
    return [wrong(expect, 'only an allowed call has an `input`')]
  }
  return []
}

function wrong(node: Node, message: string): Finding {
  return finding('SCHEMA_INVALID', node.pointer, { message })
}
