/**
 * What a form of steps looks like when its author writes it, bare or in the envelope of a tool.
 * Knows field names and their kinds. What they mean is the compiler's business.
 */
import { z } from 'zod'
import { fieldTypes } from '../../machine/machine.ts'
import type { Node } from '../../source/source.ts'
import { memberOf } from '../../source/source.ts'
import {
  commonFields,
  freeObject,
  minIsolation,
  nameField,
  namesField,
  sessionBudget,
} from '../common-schema.ts'
import { nodeKindOf, withAlias, withPick } from '../validate-tree.ts'

const isText = (node: Node): boolean => node.kind === 'scalar' && typeof node.value === 'string'

const plainExpression = z.string().min(1)

const typedExpression = z
  .object({
    type: z
      .enum(['jp', 'jmespath', 'cel'])
      .optional()
      .describe('The language: `jp` and `jmespath` are JMESPath (the default), or `cel`.'),
    expression: z.string().min(1).describe('The expression itself.'),
  })
  .meta({ id: 'typed_expression' })

export type ExpressionDefinition =
  | string
  | { type?: 'jp' | 'jmespath' | 'cel' | undefined; expression: string }
  | { case: CaseBranchDefinition[] }

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
const condition = innerExpression.optional().describe('Only when this expression holds.')

const valueFields = {
  value: z.unknown().optional().describe('The value itself; placeholders in a text are filled in.'),
  valueFrom,
  value_from: valueFromAlias,
}

const caseBranch = z.object({ if: condition, ...valueFields }).meta({ id: 'case_branch' })

const caseExpression = z
  .object({
    case: z.array(caseBranch).min(1).describe('The first branch that holds gives the value.'),
  })
  .meta({ id: 'case_expression' })

const expressionSchema: z.ZodType<ExpressionDefinition> = withPick(
  z.union([plainExpression, typedExpression, caseExpression]).meta({ id: 'expression' }),
  (node) => {
    if (isText(node)) return plainExpression
    if (node.kind === 'object') {
      return memberOf(node, 'case') === undefined ? typedExpression : caseExpression
    }
    const message = `an expression is a text or an object, not ${nodeKindOf(node)}`
    return { message, hint: 'e.g. `` "local.tries >= `3`" ``' }
  },
)

const sayOp = z
  .object({
    action: z.literal('say').describe('Says a text word by word.'),
    text: z.string().describe('The text; placeholders are filled in.'),
    role: z
      .enum(['user', 'assistant'])
      .optional()
      .describe('In whose name; `assistant` if absent.'),
    if: condition,
  })
  .meta({ id: 'say' })

const setOp = z
  .object({
    action: z.literal('set').describe('Writes a variable.'),
    name: nameField.describe('Path of the variable: `x`, `local.x` or `inputs.x`.'),
    ...valueFields,
    if: condition,
  })
  .meta({ id: 'set' })

const incOp = z
  .object({
    action: z.literal('inc').describe('Counts a variable up; a missing one begins at 0.'),
    name: nameField.describe('Path of the variable.'),
    by: z.number().optional().describe('How much is added; 1 if absent.'),
    if: condition,
  })
  .meta({ id: 'inc' })

const getOp = z
  .object({
    action: z.enum(['get', 'load']).describe('Fills inputs from variables of the same name.'),
    inputs: namesField.optional().describe('Which inputs; all when absent.'),
    overwrite: z.boolean().optional().describe('Replaces what is there already.'),
    ...valueFields,
    if: condition,
  })
  .meta({ id: 'get' })

const saveOp = z
  .object({
    action: z.literal('save').describe('Keeps inputs as variables that outlive the step.'),
    inputs: namesField.optional().describe('Which inputs; all when absent.'),
    name: nameField.optional().describe('Another name for the variable, when it is one input.'),
    if: condition,
  })
  .meta({ id: 'save' })

const resultSchema = z
  .object({
    save: z
      .array(
        z.object({
          from: innerExpression.describe('Expression over the result of the tool.'),
          to: nameField.describe('Path of the variable that keeps it.'),
        }),
      )
      .optional()
      .describe('What is kept of the result.'),
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
    arguments: freeObject.optional().describe('Its arguments; placeholders are filled in.'),
    autoPopulate: autoPopulate.optional().describe('Accepted; has no effect.'),
    result: resultSchema.optional().describe('What becomes of the result.'),
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
    name: nameField.describe('Its name.'),
    type: z.enum(fieldTypes).optional().describe('Its type; `string` if absent.'),
    title: z.string().optional().describe('A short label.'),
    description: z.string().optional().describe('What it is; the agent sees this.'),
    required: z.boolean().optional().describe('Whether it must be given; true if absent.'),
    enum: namesField.optional().describe('The only values that are taken.'),
    pattern: z.string().optional().describe('Regular expression that must match somewhere in it.'),
    format: z.string().optional().describe('`date`, `time`, `date-time`, `email`, `uri`, …'),
    examples: z.array(z.unknown()).optional().describe('Values that show what is meant.'),
  })
  .meta({ id: 'input' })

const conditionalText = z.object({
  if: condition,
  text: z.string().describe('The instruction; placeholders are filled in.'),
})
const plainText = z.string()
const instruction = withPick(z.union([plainText, conditionalText]), (node) =>
  node.kind === 'object' ? conditionalText : plainText,
)
const instructionList = z.array(instruction)
const instructionsSchema = withPick(z.union([plainText, instructionList]), (node) =>
  isText(node) ? plainText : instructionList,
)

const stepName = nameField.describe('The step that follows.')
const routeSchema = z
  .object({
    id: nameField.describe('The step that follows.'),
    if: condition,
    requires: namesField.optional().describe('Inputs that must be there for this route.'),
  })
  .meta({ id: 'route' })
const nextSchema = withPick(z.union([stepName, routeSchema]), (node) =>
  node.kind === 'object' ? routeSchema : stepName,
)

const stepSchema = z
  .object({
    id: nameField.describe('Its name, unique in the form.'),
    goal: z.string().describe('What the step is for; describes the submit tool.'),
    instructions: instructionsSchema.optional().describe('How the agent should go about it.'),
    inputs: z.array(inputSchema).optional().describe('What must be collected before it goes on.'),
    on: z
      .object({
        start: slot.describe('Once, when the form starts: set, inc, say, call.'),
        enter: slot.describe('When the step is entered: get, set, inc, say, call.'),
        presubmit: slot.describe('Before the inputs are checked: get, set, inc, save.'),
        submit: slot.describe('After they are: set, inc, say, save, call.'),
      })
      .optional()
      .describe('What happens at which moment.'),
    next: z
      .array(nextSchema)
      .optional()
      .describe('Steps that may follow; the first that holds is taken. None: the form is done.'),
    tools: z
      .object({
        allow: namesField.nullable().optional().describe('Tools that may be used; all when empty.'),
        call: z.boolean().optional().describe('Makes the agent call a tool before it speaks.'),
        allowGoToStep: z.boolean().optional().describe('Lets the agent name the next step.'),
      })
      .optional()
      .describe('Which tools the agent has in this step.'),
  })
  .meta({ id: 'step' })

const variableSchema = z
  .object({
    name: nameField.describe('Its name.'),
    type: z.enum(fieldTypes).optional().describe('Its type.'),
    description: z.string().optional().describe('What it is for.'),
    ...valueFields,
  })
  .meta({ id: 'variable' })

/** A form of steps, as a task stands for itself. */
export const stepsSchema = z
  .object({
    ...commonFields('steps'),
    type: z.literal('steps').optional().describe('The kind of task; only `steps` can be run.'),
    version: z.literal('v1alpha').optional().describe('The version of the format.'),
    id: nameField.optional().describe('Its name.'),
    config: freeObject.optional().describe('Kept, not read.'),
    metadata: z
      .looseObject({ priority: z.number().optional().describe('Order among several tasks.') })
      .optional()
      .describe('Notes; unknown fields are kept.'),
    variables: z.array(variableSchema).optional().describe('Variables there from the start.'),
    tool: z
      .object({
        name: nameField.describe('The name under which the agent submits.'),
        description: z.string().optional().describe('What the tool is for.'),
      })
      .optional()
      .describe('The submit tool.'),
    start: z
      .enum(['auto', 'manual'])
      .optional()
      .describe('`auto` begins with the run, `manual` with the first submission.'),
    session_budget_usd: sessionBudget,
    min_isolation: minIsolation,
    steps: z.array(stepSchema).min(1).describe('The steps; the first one is where it begins.'),
  })
  .meta({ id: 'task' })

const otherTypes = ['expression', 'event', 'import'] as const
const otherTask = z.looseObject({
  type: z.enum(otherTypes).describe('A task of another kind; it is not run.'),
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
  id: z.unknown().optional().describe('Set by the service that stores it; not read.'),
  name: z.string().optional().describe('Its name in the console.'),
  context: z
    .object({ task: taskSchema.describe('The form, or a list of forms.') })
    .describe('What the tool carries.'),
  tool: z
    .looseObject({
      type: z.literal('function').optional().describe('Always `function`.'),
      function: freeObject.optional().describe('How the console shows it; not read.'),
    })
    .optional()
    .describe('The tool as the console manages it; the agent never calls it.'),
})

export type StepsTask = z.infer<typeof stepsSchema>
export type ActionDefinition = z.infer<typeof opSchema>
