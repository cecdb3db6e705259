/**
 * What a workflow looks like when its author writes it: states, events, guards, interrupts.
 * Knows field names and their kinds. What they mean is the compiler's business.
 */
import { z } from 'zod'
import { compareOps } from '../../machine/machine.ts'
import { approvalsSchema } from '../../policy/schema.ts'
import type { Node } from '../../source/source.ts'
import { memberOf } from '../../source/source.ts'
import {
  commonFields,
  freeObject,
  limitField,
  minIsolation,
  nameField,
  namesField,
  sessionBudget,
} from '../common-schema.ts'
import { nodeKindOf, withPick } from '../validate-tree.ts'

const otherOps = compareOps.filter((op) => op !== 'in')

const guardFields = {
  field: nameField.describe('The key of the context that is looked at. One key, not a path.'),
  source: z
    .enum(['claimed', 'observed', 'given'])
    .optional()
    .describe("Counts only a value of this origin: the agent's word, what Pawl saw, or given."),
}

const compareSchema = z.object({
  ...guardFields,
  op: z
    .enum(otherOps)
    .describe('How the value is compared. A missing field passes no other test than `not_exists`.'),
  value: z.unknown().optional().describe('What it is compared with; not needed by `exists`.'),
})

const inSchema = z.object({
  ...guardFields,
  op: z.literal('in').describe('The value must be one of a list.'),
  value: z.array(z.unknown()).describe('The list of values that pass.'),
})

const anyOpSchema = compareSchema.extend({ op: z.enum(compareOps) })

const guardSchema = withPick(
  z.union([compareSchema, inSchema]).meta({ id: 'guard' }),
  (node: Node) => {
    const op = memberOf(node, 'op')?.node
    if (op?.kind !== 'scalar') return anyOpSchema
    if (op.value === 'in') return inSchema
    // WHY the wide one: a misspelt op must be told about every op there is.
    return otherOps.some((known) => known === op.value) ? compareSchema : anyOpSchema
  },
)

const conditionFields = {
  guard: nameField.optional().describe('The guard that must hold.'),
  guards: namesField.optional().describe('Guards that must all hold.'),
  requires_approval: z.boolean().optional().describe('A person must approve the move first.'),
  approval_message: z.string().optional().describe('What that person is asked.'),
  approvals: approvalsSchema
    .optional()
    .describe('Who has to approve the move; the one who asked for it can not.'),
  approval_editable: namesField
    .optional()
    .describe("Values of the event's data that this person may change when approving."),
}

const targetSchema = z
  .object({
    target: nameField.describe('The state to go to; `$return` goes back from an interrupt.'),
    ...conditionFields,
  })
  .meta({ id: 'target' })

const invokeSchema = z
  .object({
    invoke: nameField.describe('The definition that is run as a child, of any dialect.'),
    on_complete: nameField.describe('Where to go on when the child completed.'),
    on_fail: nameField.optional().describe('Where to go on when it ended otherwise.'),
    input: freeObject.optional().describe("Values laid over the child's own context."),
    ...conditionFields,
  })
  .meta({ id: 'invoke' })

const branchSchema = z
  .object({
    initial: nameField.describe('Where the branch begins.'),
    terminal: nameField.describe('The final state in which the branch may be reported as done.'),
  })
  .meta({ id: 'branch' })

const forkSchema = z
  .object({
    fork: z
      .object({
        branches: z.record(z.string(), branchSchema).describe('The branches by name.'),
        join: z
          .enum(['all', 'any'])
          .optional()
          .describe('Go on when all branches are done (the default) or when one is.'),
        on_complete: nameField.describe('Where to go on when the branches are joined.'),
        on_fail: nameField.optional().describe('Where to go on when they can not be joined.'),
      })
      .describe('Work on several branches, then go on.'),
    ...conditionFields,
  })
  .meta({ id: 'fork' })

const targetName = nameField.describe('The state to go to.')
const targetList = z.array(targetSchema).min(1).describe('The first whose guards hold is taken.')

const transitionSchema = withPick(
  z
    .union([targetName, targetSchema, targetList, invokeSchema, forkSchema])
    .meta({ id: 'transition' }),
  (node: Node) => {
    if (node.kind === 'list') return targetList
    if (node.kind !== 'object') {
      if (node.kind === 'scalar' && typeof node.value === 'string') return targetName
      const message = `a transition is a state's name, an object or a list, not ${nodeKindOf(node)}`
      return { message, hint: 'e.g. `"DONE": "review"`' }
    }
    const kinds = ['target', 'invoke', 'fork'].filter((key) => memberOf(node, key) !== undefined)
    if (kinds.length > 1) {
      const message = `a transition has ${kinds.map((key) => `\`${key}\``).join(' and ')}`
      return { message, hint: 'keep one of them' }
    }
    if (kinds[0] === 'invoke') return invokeSchema
    return kinds[0] === 'fork' ? forkSchema : targetSchema
  },
)

const stateSchema = z
  .object({
    type: z
      .enum(['final', 'parallel'])
      .optional()
      .describe('`final`: the run ends here. `parallel` is accepted and means nothing.'),
    outcome: z
      .enum(['completed', 'failed'])
      .optional()
      .describe(
        'How a run ends in this final state; `failed` is also what the name `failed` means.',
      ),
    instructions: z.string().optional().describe('Told to the agent while it is here.'),
    on: z.record(z.string(), transitionSchema).optional().describe('Where each event leads.'),
    safe_next: nameField.optional().describe('Where an event leads that is not listed in `on`.'),
    allowed_tools: namesField
      .optional()
      .describe('Tools the agent may use here. Absent: all. An empty list: none.'),
    disallowed_tools: namesField.optional().describe('Tools the agent may not use here.'),
    allowed_commands: namesField
      .optional()
      .describe('Words with which a shell command may begin, e.g. `npm test`.'),
    allowed_commands_tool: nameField
      .optional()
      .describe('The tool whose commands are held to that list; `Bash` when absent.'),
    blocked_env: namesField
      .optional()
      .describe('Environment variables that commands may not read; removed from them.'),
    deny_env: namesField.optional().describe('Same as `blocked_env`.'),
    env_overrides: z
      .record(z.string(), z.string())
      .optional()
      .describe('Environment variables set for commands.'),
    env: z.record(z.string(), z.string()).optional().describe('Same as `env_overrides`.'),
    max_iterations: limitField.optional().describe('Tool calls in one visit to this state.'),
    max_edit_lines: limitField.optional().describe('Lines that one edit may change.'),
    max_files_per_state: limitField.optional().describe('Files that may be changed in one visit.'),
    context_budget_bytes: limitField
      .optional()
      .describe('Bytes of tool results that one visit may collect.'),
    model: z
      .string()
      .optional()
      .describe('The model the host should use here; told, not enforced.'),
    thinking_level: z.string().optional().describe('How much the model should think; told.'),
    model_ladder: z.unknown().optional().describe('Kept, not read.'),
    direct_execution: z.unknown().optional().describe('Kept, not read.'),
  })
  .meta({ id: 'state' })

const interruptSchema = z
  .object({
    trigger: z
      .object({ file_pattern: nameField.describe('Glob of the changed files that begin it.') })
      .describe('What begins the interrupt.'),
    target: nameField.describe('The state that handles it.'),
  })
  .meta({ id: 'interrupt' })

const metaSchema = z
  .looseObject({
    task_type: z.string().optional().describe('What kind of work this is; only noted.'),
    estimated_steps: z.number().optional().describe('Rough number of tool calls; only noted.'),
    danger_level: z
      .enum(['safe', 'moderate', 'dangerous'])
      .optional()
      .describe('How strictly the definition is checked for missing approvals.'),
    requires_human_approval: z.boolean().optional().describe('Only noted.'),
    capture_output: z.boolean().optional().describe('Only noted.'),
    approval_mode: z
      .enum(['ui', 'none'])
      .optional()
      .describe('`none` makes `requires_approval` advice; otherwise it is enforced.'),
    debug: z.boolean().optional().describe('Lets a person put the run into any state.'),
    default_model: z.string().optional().describe('The model the host should use; told.'),
    after_end: z
      .enum(['hold', 'release'])
      .optional()
      .describe('`hold` keeps denying tool calls after the end until a person releases the run.'),
    calls_max: limitField.optional().describe('Tool calls in the whole run.'),
  })
  .meta({ id: 'meta' })

/** A workflow definition. */
export const workflowSchema = z.object({
  ...commonFields('workflow'),
  id: nameField.describe('Its name.'),
  initial: nameField.describe('The state in which a run begins.'),
  context: freeObject.optional().describe('Values that guards look at, as they are at first.'),
  states: z.record(z.string(), stateSchema).describe('All states by name.'),
  guards: z
    .record(z.string(), guardSchema)
    .optional()
    .describe('Conditions by name, used by transitions.'),
  interrupts: z
    .record(z.string(), interruptSchema)
    .optional()
    .describe('States that a change of certain files leads to.'),
  session_budget_usd: sessionBudget,
  min_isolation: minIsolation,
  meta: metaSchema.optional().describe('Settings and notes; unknown fields are kept.'),
})

export type WorkflowDefinition = z.infer<typeof workflowSchema>
