/**
 * The format of a workflow as its author writes it: states, events, guards, interrupts. Knows
 * field names and types; the compiler knows what they mean.
 */
import { z } from 'zod'
import { evidenceSchema } from '../../evidence/schema.ts'
import { compareOps } from '../../machine/machine.ts'
import { approvalsSchema } from '../../policy/schema.ts'
import type { Node } from '../../source/source.ts'
import { memberOf } from '../../source/source.ts'
import {
  approvalProof,
  commonFields,
  freeObject,
  limitField,
  minIsolation,
  nameField,
  namesField,
  sessionBudget,
} from '../common-schema.ts'
import { hasField } from '../explicit-null.ts'
import { nodeKindOf, withPick } from '../validate-tree.ts'

const otherOps = compareOps.filter((op) => op !== 'in')

const guardFields = {
  field: nameField.describe('The context key to test: a single key, not a path.'),
  source: z
    .enum(['claimed', 'observed', 'given'])
    .optional()
    .describe(
      'Accepts only a value from this source: claimed by the agent, observed by Pawl, or given.',
    ),
}

const compareSchema = z.object({
  ...guardFields,
  op: z
    .enum(otherOps)
    .describe('How to compare the value. A missing field passes only `not_exists`.'),
  value: z.unknown().optional().describe('The value to compare with; not needed for `exists`.'),
})

const inSchema = z.object({
  ...guardFields,
  op: z.literal('in').describe('The value must be in a list.'),
  value: z.array(z.unknown()).describe('The list of values that pass.'),
})

const anyOpSchema = compareSchema.extend({ op: z.enum(compareOps) })

const guardSchema = withPick(
  z.union([compareSchema, inSchema, evidenceSchema]).meta({ id: 'guard' }),
  (node: Node) => {
    if (hasField(node, 'evidence')) return evidenceSchema
    const op = memberOf(node, 'op')?.node
    if (op?.kind !== 'scalar') return anyOpSchema
    if (op.value === 'in') return inSchema
    // WHY the wide one: a misspelt op must be told about every op there is.
    return otherOps.some((known) => known === op.value) ? compareSchema : anyOpSchema
  },
)

/** A folder of the workspace: no way out of it, and no pattern. */
const folderField = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^*?[\]\0]+$/, 'a folder of the workspace, without `..`')

/** As many as the helper of boxes takes. */
const deniedProgramsMax = 64
/** WHY never these: a host whose hooks do not start goes on without them. */
const programField = z
  .string()
  .regex(/^(?!\.\.?$)(?!-)[\w.+@-]{1,64}$/, 'the name of a program, without a folder')
  .regex(
    /^(?!(?:sh|bash|env|node)$)/,
    'another program: hooks are run by `sh`, `bash`, `env` and `node`',
  )

const conditionFields = {
  guard: nameField.optional().describe('The guard that must pass.'),
  guards: namesField.optional().describe('Guards that must all pass.'),
  requires: namesField
    .optional()
    .describe("Values that the event's data must contain; without them it is rejected."),
  requires_approval: z.boolean().optional().describe('A person must approve the transition first.'),
  approval_message: z.string().optional().describe('The question to ask the approver.'),
  approvals: approvalsSchema
    .optional()
    .describe('Who has to approve the transition. Whoever requested it cannot approve it.'),
  approval_editable: namesField
    .optional()
    .describe("Values in the event's data that the person may change when approving."),
}

const targetSchema = z
  .object({
    target: nameField.describe('The state to go to; `$return` goes back from an interrupt.'),
    ...conditionFields,
  })
  .meta({ id: 'target' })

const invokeSchema = z
  .object({
    invoke: nameField.describe('The definition to run as a child, in any dialect.'),
    on_complete: nameField.describe('The next state if the child completed.'),
    on_fail: nameField.optional().describe('The next state if the child ended in any other way.'),
    input: freeObject.optional().describe("Values that override the child's own context."),
    ...conditionFields,
  })
  .meta({ id: 'invoke' })

const branchSchema = z
  .object({
    initial: nameField.describe('The state in which the branch starts.'),
    terminal: nameField.describe('The final state in which the branch can be marked as done.'),
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
          .describe(
            'Whether to continue when all branches are done (the default) or when any one is.',
          ),
        on_complete: nameField.describe('The next state when the branches are joined.'),
        on_fail: nameField.optional().describe('The next state if the branches cannot be joined.'),
      })
      .describe('Runs several branches, then continues.'),
    ...conditionFields,
  })
  .meta({ id: 'fork' })

const targetName = nameField.describe('The state to go to.')
const targetList = z
  .array(targetSchema)
  .min(1)
  .describe('The first transition whose guards pass is taken.')

const transitionSchema = withPick(
  z
    .union([targetName, targetSchema, targetList, invokeSchema, forkSchema])
    .meta({ id: 'transition' }),
  (node: Node) => {
    if (node.kind === 'list') return targetList
    if (node.kind !== 'object') {
      if (node.kind === 'scalar' && typeof node.value === 'string') return targetName
      const message = `a transition is a state name, an object or a list, not ${nodeKindOf(node)}`
      return { message, hint: 'e.g. `"DONE": "review"`' }
    }
    const kinds = ['target', 'invoke', 'fork'].filter((key) => hasField(node, key))
    if (kinds.length > 1) {
      const message = `a transition has ${kinds.map((key) => `\`${key}\``).join(' and ')}`
      return { message, hint: 'keep only one of them' }
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
      .describe('`final` ends the run here. `parallel` is accepted but has no effect.'),
    outcome: z
      .enum(['completed', 'failed'])
      .optional()
      .describe(
        'How a run ends in this final state. The default is `failed` for a state with that name ' +
          'or one that is listed in `meta.failure_states`.',
      ),
    instructions: z.string().optional().describe('Instructions for the agent in this state.'),
    on: z
      .record(z.string(), transitionSchema)
      .optional()
      .describe('The transition for each event.'),
    safe_next: nameField
      .optional()
      .describe('The next state for an event that is not listed in `on`.'),
    allowed_tools: namesField
      .optional()
      .describe(
        'Tools the agent may use here. Without this field, all tools are allowed; an empty ' +
          'list allows none.',
      ),
    disallowed_tools: namesField.optional().describe('Tools the agent may not use here.'),
    allowed_commands: namesField
      .optional()
      .describe(
        'First words of the allowed shell commands. `*` is any text within a word: `npm run *`.',
      ),
    allowed_commands_tool: nameField
      .optional()
      .describe('The tool that `allowed_commands` applies to. Default: `Bash`.'),
    blocked_env: namesField
      .optional()
      .describe('Environment variables that commands may not read. Pawl unsets them.'),
    deny_env: namesField.optional().describe('Same as `blocked_env`.'),
    env_overrides: z
      .record(z.string(), z.string())
      .optional()
      .describe('Environment variables that Pawl sets for commands.'),
    env: z.record(z.string(), z.string()).optional().describe('Same as `env_overrides`.'),
    max_iterations: limitField
      .optional()
      .describe('Maximum number of tool calls in one visit to this state.'),
    max_edit_lines: limitField
      .optional()
      .describe('Maximum number of lines that one edit may change.'),
    max_files_per_state: limitField
      .optional()
      .describe('Maximum number of files that may be changed in one visit.'),
    writable_files: namesField
      .optional()
      .describe(
        'Glob patterns of the files that may be changed here; `!` in front excludes files. ' +
          'Without this field, any file of the workspace may be changed.',
      ),
    context_budget_bytes: limitField
      .optional()
      .describe('Maximum total size of tool results in one visit, in bytes.'),
    files: z
      .enum(['read', 'scratch', 'write'])
      .optional()
      .describe(
        'How files are open to a session in a box (`pawl run`). Default: `write` if the state ' +
          'allows edits, `scratch` if it only allows commands, else `read`.',
      ),
    paths: z
      .object({
        write: z
          .array(folderField)
          .min(1)
          .describe('Folders of the workspace. In a box, only they can be written to.'),
      })
      .optional()
      .describe('Limits writing in a box to some folders.'),
    programs: z
      .object({
        deny: z
          .array(programField)
          .min(1)
          .max(deniedProgramsMax)
          .describe('Names of programs that may not be started, without a folder: `curl`.'),
      })
      .optional()
      .describe(
        'Programs that may not be started. In a box this holds for everything that runs there; ' +
          'outside of one, for the text of commands.',
      ),
    model: z
      .string()
      .optional()
      .describe('The model the host should use here. A hint; not enforced.'),
    thinking_level: z
      .string()
      .optional()
      .describe('How much the model should think. A hint; not enforced.'),
    model_ladder: z.unknown().optional().describe('Stored, but ignored.'),
    direct_execution: z.unknown().optional().describe('Stored, but ignored.'),
  })
  .meta({ id: 'state' })

const interruptSchema = z
  .object({
    trigger: z
      .object({
        file_pattern: nameField.describe(
          'Glob pattern. A change to a matching file triggers the interrupt.',
        ),
      })
      .describe('What triggers the interrupt.'),
    target: nameField.describe('The state that handles the interrupt.'),
  })
  .meta({ id: 'interrupt' })

const metaSchema = z
  .looseObject({
    task_type: z.string().optional().describe('The kind of work. Informational.'),
    estimated_steps: z.number().optional().describe('Rough number of tool calls. Informational.'),
    danger_level: z
      .enum(['safe', 'moderate', 'dangerous'])
      .optional()
      .describe('How strictly the definition is checked for missing approvals.'),
    requires_human_approval: z.boolean().optional().describe('Informational.'),
    capture_output: z
      .boolean()
      .optional()
      .describe("Keeps the end of every call's output in the log, with secrets removed."),
    approval_mode: z
      .enum(['ui', 'none'])
      .optional()
      .describe('`none` makes `requires_approval` advisory; otherwise it is enforced.'),
    debug: z.boolean().optional().describe('Lets a person move the run to any state.'),
    failure_states: namesField
      .optional()
      .describe('Final states that count as failures, in addition to one named `failed`.'),
    default_model: z
      .string()
      .optional()
      .describe('The model the host should use. A hint; not enforced.'),
    after_end: z
      .enum(['hold', 'release'])
      .optional()
      .describe('`hold` keeps denying tool calls after the end until a person releases the run.'),
    calls_max: limitField.optional().describe('Maximum number of tool calls in the whole run.'),
  })
  .meta({ id: 'meta' })

/** A workflow definition. */
export const workflowSchema = z.object({
  ...commonFields('workflow'),
  id: nameField.describe('Name of the definition.'),
  initial: nameField.describe('The state in which a run starts.'),
  context: freeObject.optional().describe('Initial values, which guards can test.'),
  states: z.record(z.string(), stateSchema).describe('All states by name.'),
  guards: z
    .record(z.string(), guardSchema)
    .optional()
    .describe('Conditions by name, for use in transitions.'),
  interrupts: z
    .record(z.string(), interruptSchema)
    .optional()
    .describe('States to enter when certain files change.'),
  session_budget_usd: sessionBudget,
  min_isolation: minIsolation,
  approvals: approvalProof,
  meta: metaSchema.optional().describe('Settings and notes. Unknown fields are kept.'),
})

export type WorkflowDefinition = z.infer<typeof workflowSchema>
