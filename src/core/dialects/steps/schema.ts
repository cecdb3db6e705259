/**
 * The format of a form of steps as its author writes it, alone or inside a tool definition. Knows
 * field names and types; the compiler knows what they mean.
 */
import { z } from 'zod'
import { type EvidenceDefinition, evidenceSchema } from '../../evidence/schema.ts'
import { fieldTypes } from '../../machine/machine.ts'
import type { Node } from '../../source/source.ts'
import { memberOf } from '../../source/source.ts'
import {
  approvalProof,
  commonFields,
  freeObject,
  minIsolation,
  nameField,
  namesField,
  sessionBudget,
} from '../common-schema.ts'
import { hasField } from '../explicit-null.ts'
import { nodeKindOf, withAlias, withPick } from '../validate-tree.ts'

const isText = (node: Node): boolean => node.kind === 'scalar' && typeof node.value === 'string'

const plainExpression = z.string().min(1)

const typedExpression = z
  .object({
    type: z
      .enum(['jp', 'jmespath', 'cel'])
      .optional()
      .describe('The language: `jp` or `jmespath` for JMESPath (the default), or `cel` for CEL.'),
    expression: z.string().min(1).describe('The expression itself.'),
  })
  .meta({ id: 'typed_expression' })

export type ExpressionDefinition =
  | string
  | { type?: 'jp' | 'jmespath' | 'cel' | undefined; expression: string }
  | { case: CaseBranchDefinition[] }

/** What a route can depend on. */
export type RouteConditionDefinition = ExpressionDefinition | EvidenceDefinition

type CaseBranchDefinition = {
  if?: ExpressionDefinition | undefined
  value?: unknown
  valueFrom?: ExpressionDefinition | undefined
  value_from?: ExpressionDefinition | undefined
}

// WHY lazy: the value of a branch may be an expression with branches of its own.
const innerExpression: z.ZodType<ExpressionDefinition> = z.lazy(() => expressionSchema)

const valueFrom = innerExpression.optional().describe('An expression whose result is the value.')
const valueFromAlias = withAlias(
  innerExpression.optional().describe('Same as `valueFrom`.'),
  'valueFrom',
)
const condition = innerExpression
  .optional()
  .describe('The entry applies only if this expression is true.')

const valueFields = {
  value: z
    .unknown()
    .optional()
    .describe('The value itself. Placeholders in a string are filled in.'),
  valueFrom,
  value_from: valueFromAlias,
}

const caseBranch = z.object({ if: condition, ...valueFields }).meta({ id: 'case_branch' })

const caseExpression = z
  .object({
    case: z
      .array(caseBranch)
      .min(1)
      .describe('The first branch whose condition is true gives the value.'),
  })
  .meta({ id: 'case_expression' })

const expressionSchema: z.ZodType<ExpressionDefinition> = withPick(
  z.union([plainExpression, typedExpression, caseExpression]).meta({ id: 'expression' }),
  (node) => {
    if (isText(node)) return plainExpression
    if (node.kind === 'object') {
      return hasField(node, 'case') ? caseExpression : typedExpression
    }
    const message = `an expression must be a string or an object, not ${nodeKindOf(node)}`
    return { message, hint: 'e.g. `` "local.tries >= `3`" ``' }
  },
)

const sayOp = z
  .object({
    action: z.literal('say').describe('Says the text to the user verbatim.'),
    text: z.string().describe('The text. Placeholders are filled in.'),
    role: z
      .enum(['user', 'assistant'])
      .optional()
      .describe('The role that says the text. Default: `assistant`.'),
    if: condition,
  })
  .meta({ id: 'say' })

const setOp = z
  .object({
    action: z.literal('set').describe('Sets a variable.'),
    name: nameField.describe('Path of the variable: `x`, `local.x` or `inputs.x`.'),
    ...valueFields,
    if: condition,
  })
  .meta({ id: 'set' })

const incOp = z
  .object({
    action: z.literal('inc').describe('Increments a variable. A missing variable starts at 0.'),
    name: nameField.describe('Path of the variable.'),
    by: z.number().optional().describe('The amount to add. Default: 1.'),
    if: condition,
  })
  .meta({ id: 'inc' })

const getOp = z
  .object({
    action: z.enum(['get', 'load']).describe('Fills inputs from variables with the same name.'),
    inputs: namesField.optional().describe('The inputs to use. Default: all.'),
    overwrite: z.boolean().optional().describe('Overwrites existing values.'),
    ...valueFields,
    if: condition,
  })
  .meta({ id: 'get' })

const saveOp = z
  .object({
    action: z.literal('save').describe('Saves inputs as variables that are kept after the step.'),
    inputs: namesField.optional().describe('The inputs to use. Default: all.'),
    name: nameField
      .optional()
      .describe('A different name for the variable, if a single input is saved.'),
    if: condition,
  })
  .meta({ id: 'save' })

const resultSchema = z
  .object({
    save: z
      .array(
        z.object({
          from: innerExpression.describe("An expression that is applied to the tool's result."),
          to: nameField.describe('Path of the variable that stores the value.'),
        }),
      )
      .optional()
      .describe('Which parts of the result to store.'),
  })
  .meta({ id: 'result' })

const isRequiredWord = z.literal('required')
const flag = z.boolean()
const autoPopulate = withPick(z.union([flag, isRequiredWord]), (node) =>
  isText(node) ? isRequiredWord : flag,
)

const callOp = z
  .object({
    action: z.literal('call').describe('Queues a tool call.'),
    name: nameField.describe('The tool.'),
    arguments: freeObject.optional().describe("The tool's arguments. Placeholders are filled in."),
    autoPopulate: autoPopulate.optional().describe('Accepted, but has no effect.'),
    result: resultSchema.optional().describe('What to do with the result.'),
    if: condition,
  })
  .meta({ id: 'call' })

const anyOp = z.object({
  action: z
    .enum(['say', 'set', 'inc', 'get', 'load', 'save', 'call'])
    .describe('What to do: say, set, inc, get, save or call.'),
})

const ops = {
  say: sayOp,
  set: setOp,
  inc: incOp,
  get: getOp,
  load: getOp,
  save: saveOp,
  call: callOp,
}

const opSchema = withPick(
  z.union([sayOp, setOp, incOp, getOp, saveOp, callOp]).meta({ id: 'op' }),
  (node) => {
    const action = memberOf(node, 'action')?.node
    const word = action?.kind === 'scalar' ? action.value : null
    if (typeof word === 'string' && Object.hasOwn(ops, word)) return ops[word as keyof typeof ops]
    if (node.kind !== 'object') return anyOp
    // WHY loose: without a known action nothing can be said about the other fields.
    return anyOp.loose()
  },
)

const slot = z.array(opSchema).optional()

const inputSchema = z
  .object({
    name: nameField.describe('Name of the input.'),
    type: z.enum(fieldTypes).optional().describe('Type of the input. Default: `string`.'),
    title: z.string().optional().describe('A short label.'),
    description: z.string().optional().describe('A description, which the agent sees.'),
    required: z.boolean().optional().describe('Whether the input is required. Default: true.'),
    enum: namesField.optional().describe('The only accepted values.'),
    pattern: z
      .string()
      .optional()
      .describe('A regular expression that must match part of the value.'),
    format: z.string().optional().describe('`date`, `time`, `date-time`, `email`, `uri`, …'),
    examples: z.array(z.unknown()).optional().describe('Example values.'),
  })
  .meta({ id: 'input' })

const conditionalText = z.object({
  if: condition,
  text: z.string().describe('The instruction. Placeholders are filled in.'),
})
const plainText = z.string()
const instruction = withPick(z.union([plainText, conditionalText]), (node) =>
  node.kind === 'object' ? conditionalText : plainText,
)
const instructionList = z.array(instruction)
const instructionsSchema = withPick(z.union([plainText, instructionList]), (node) =>
  isText(node) ? plainText : instructionList,
)

const routeCondition = withPick(z.union([innerExpression, evidenceSchema]), (node) =>
  hasField(node, 'evidence') ? evidenceSchema : innerExpression,
)
const routeConditions = z.array(routeCondition).min(1)
const anyRouteCondition = withPick(
  z.union([innerExpression, evidenceSchema, routeConditions]),
  (node) =>
    node.kind === 'list'
      ? routeConditions
      : hasField(node, 'evidence')
        ? evidenceSchema
        : innerExpression,
)

const stepName = nameField.describe('The next step.')
const routeSchema = z
  .object({
    id: nameField.describe('The next step.'),
    if: anyRouteCondition
      .optional()
      .describe('An expression or evidence that must hold; of a list, all of it.'),
    requires: namesField.optional().describe('Inputs that this route requires.'),
  })
  .meta({ id: 'route' })
const nextSchema = withPick(z.union([stepName, routeSchema]), (node) =>
  node.kind === 'object' ? routeSchema : stepName,
)

const stepSchema = z
  .object({
    id: nameField.describe('Name of the step, unique in the form.'),
    goal: z
      .string()
      .describe('The goal of the step. It is used as the description of the submit tool.'),
    instructions: instructionsSchema.optional().describe('Instructions for the agent.'),
    inputs: z.array(inputSchema).optional().describe('The inputs to collect before the next step.'),
    on: z
      .object({
        start: slot.describe('Runs once, when the form starts: set, inc, say, call.'),
        enter: slot.describe('Runs when the step is entered: get, set, inc, say, call.'),
        presubmit: slot.describe('Runs before the inputs are checked: get, set, inc, save.'),
        submit: slot.describe('Runs after the inputs are checked: set, inc, say, save, call.'),
      })
      .optional()
      .describe('Operations to run at certain moments.'),
    next: z
      .array(nextSchema)
      .optional()
      .describe(
        'The next steps. The first whose condition is true is taken. If none is, the form is done.',
      ),
    tools: z
      .object({
        allow: namesField
          .nullable()
          .optional()
          .describe('Allowed tools. An empty list allows all.'),
        call: z.boolean().optional().describe('Makes the agent call a tool before it replies.'),
        allowGoToStep: z.boolean().optional().describe('Lets the agent choose the next step.'),
      })
      .optional()
      .describe('The tools that the agent has in this step.'),
  })
  .meta({ id: 'step' })

const variableSchema = z
  .object({
    name: nameField.describe('Name of the variable.'),
    type: z.enum(fieldTypes).optional().describe('Type of the variable.'),
    description: z.string().optional().describe('What the variable is for.'),
    ...valueFields,
  })
  .meta({ id: 'variable' })

/** A form of steps, as a task stands for itself. */
export const stepsSchema = z
  .object({
    ...commonFields('steps'),
    type: z.literal('steps').optional().describe('The kind of task; only `steps` can be run.'),
    version: z.literal('v1alpha').optional().describe('The version of the format.'),
    id: nameField.optional().describe('Name of the definition.'),
    config: freeObject.optional().describe('Stored, but ignored.'),
    metadata: z
      .looseObject({ priority: z.number().optional().describe('Position among several tasks.') })
      .optional()
      .describe('Notes. Unknown fields are kept.'),
    variables: z.array(variableSchema).optional().describe('Initial variables.'),
    tool: z
      .object({
        name: nameField.describe('The name of the submit tool.'),
        description: z.string().optional().describe('What the tool is for.'),
      })
      .optional()
      .describe('The tool with which the agent submits the values of a step (the submit tool).'),
    start: z
      .enum(['auto', 'manual'])
      .optional()
      .describe('`auto` starts with the run, `manual` with the first submission.'),
    session_budget_usd: sessionBudget,
    min_isolation: minIsolation,
    approvals: approvalProof,
    steps: z.array(stepSchema).min(1).describe('The steps; the form starts with the first one.'),
  })
  .meta({ id: 'task' })

const otherTypes = ['expression', 'event', 'import'] as const
const otherTask = z.looseObject({
  type: z.enum(otherTypes).describe('A task of another kind; it cannot be run.'),
})

const taskItem = withPick(z.union([stepsSchema, otherTask]), (node) => {
  const type = memberOf(node, 'type')?.node
  const word = type?.kind === 'scalar' ? type.value : null
  return otherTypes.some((other) => other === word) ? otherTask : stepsSchema
})

const taskList = z.array(taskItem).min(1)
const taskSchema = withPick(z.union([stepsSchema, taskList]), (node) =>
  node.kind === 'list' ? taskList : stepsSchema,
)

/** A tool of type `context` that carries one form, or several. */
export const envelopeSchema = z.object({
  ...commonFields('steps'),
  type: z.literal('context').optional().describe('The kind of tool.'),
  id: z.unknown().optional().describe('Set by the service that stores it; ignored.'),
  name: z.string().optional().describe('Name of the tool in the console.'),
  context: z
    .object({ task: taskSchema.describe('The form, or a list of forms.') })
    .describe('The content of the tool.'),
  tool: z
    .looseObject({
      type: z.literal('function').optional().describe('Always `function`.'),
      function: freeObject.optional().describe('How the console shows it; ignored.'),
    })
    .optional()
    .describe('The tool as managed by the console; the agent never calls it.'),
})

export type StepsTask = z.infer<typeof stepsSchema>
export type ActionDefinition = z.infer<typeof opSchema>
