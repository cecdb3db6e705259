/**
 * What the code of each finding means and what to do about it, for people and for scanners.
 * The codes themselves are in `core/errors.ts`; the types below keep the two lists the same.
 */
import type { ErrorCode, WarningCode } from '../../core/errors.ts'

/** Two plain sentences, without their full stops. */
export type CodeHelp = { readonly about: string; readonly advice: string }

const errorHelp: Readonly<Record<ErrorCode, CodeHelp>> = {
  SYNTAX_INVALID: {
    about: 'The file is not valid JSON or YAML',
    advice:
      'Fix the text at the marked position; often, a comma or a quote is missing just before it',
  },
  SCHEMA_INVALID: {
    about: 'A field is missing or has a value of the wrong type, or the dialect is unclear',
    advice: 'Follow the message; the schemas in `schemas/` describe every field',
  },
  NAME_INVALID: {
    about: 'A name contains characters that are not allowed there',
    advice: 'Use the form that the hint shows',
  },
  INITIAL_UNKNOWN: {
    about: 'The definition starts in a stage that does not exist',
    advice: 'Name an existing stage, or add the missing one',
  },
  TARGET_UNKNOWN: {
    about: 'A route leads to a stage that does not exist',
    advice: 'Correct the name, or add the stage',
  },
  GUARD_UNKNOWN: {
    about: 'A transition names a guard that is not defined',
    advice: 'Define it under `guards`, or correct the name',
  },
  NO_FINAL: {
    about: 'No stage ends the run, so the run could never complete',
    advice: 'Add a final stage, or a route that ends the run',
  },
  FORK_INVALID: {
    about: 'A branch of a fork has an invalid start or end, or never reaches its end',
    advice:
      'End the branch in a final stage that its first stage leads to and no other branch uses',
  },
  INVOKE_UNKNOWN: {
    about: 'An invoked definition does not exist, or has errors itself',
    advice: 'Put it next to this file, or name its file in the same command',
  },
  INVOKE_CYCLE: {
    about: 'Definitions invoke each other in an endless cycle',
    advice: 'Remove one of the invocations',
  },
  RETURN_OUTSIDE_DETOUR: {
    about: 'A route returns from a detour, but no detour leads here',
    advice: 'Name the stage to go to, or make this stage part of a detour',
  },
  RESERVED_NAME: {
    about: 'A name is reserved for Pawl',
    advice: 'Choose another name',
  },
  EXPRESSION_INVALID: {
    about: 'An expression cannot be parsed',
    advice: 'Fix it at the position in the message; it must be JMESPath, or CEL where stated',
  },
  PATTERN_INVALID: {
    about: 'A pattern cannot be parsed, or could take too long to match',
    advice: 'Use RE2 syntax: no look-around and no back-references',
  },
  OP_NOT_ALLOWED_HERE: {
    about: 'An operation is in a slot where it cannot run',
    advice: 'Move it to the slot that the hint names',
  },
  VALUE_CONFLICT: {
    about: 'Two fields set the same value differently',
    advice: 'Keep the one you mean',
  },
  DUPLICATE_STEP: {
    about: 'Two steps have the same id, so one of them could never be reached',
    advice: 'Give each step a unique id',
  },
  DUPLICATE_KEY: {
    about: 'An object has the same key twice, and only one of the two would be used',
    advice: 'Remove or rename one of them',
  },
  LIMIT_INVALID: {
    about: 'A limit is not a valid number',
    advice: 'Use a number in the range that the message gives, or remove the field for no limit',
  },
  SIZE_EXCEEDED: {
    about: 'The file, or a part of it, is too large',
    advice: 'Split the definition and let one part invoke the other',
  },
  FIELD_MISSPELT: {
    about: 'A field name looks like a misspelt known field, and would be ignored',
    advice: 'Correct the name: a restriction that is ignored restricts nothing',
  },
}

const warningHelp: Readonly<Record<WarningCode, CodeHelp>> = {
  STAGE_UNREACHABLE: {
    about: 'No route leads to this stage',
    advice: 'Add a route to it, or remove the stage',
  },
  DEAD_END: {
    about: 'No route leads out of this stage, and it does not end the run',
    advice: 'Make it final, or add a route out of it',
  },
  NO_PATH_TO_FINAL: {
    about: 'From this stage, the run can never reach an end',
    advice: 'Add a route from this stage, or from one it leads to, to an end',
  },
  OPEN_STAGE: {
    about: 'The stage allows every tool',
    advice: 'List the tools that the work needs',
  },
  ESCALATION_UNGATED: {
    about: 'In dangerous work, the agent gains permissions without an approval',
    advice: 'Require an approval for the route into the stage that allows more',
  },
  GUARD_UNSATISFIABLE: {
    about: 'A guard can never be true, so its route is never taken',
    advice:
      'Correct the field or the value, or set the field earlier: ' +
      "an event's data is merged after its guards are checked",
  },
  GUARD_SELF_REPORTED: {
    about: 'A guard relies only on what the agent reports',
    advice: 'Require an approval for the route if a false report would do harm',
  },
  GUARD_UNUSED: {
    about: 'A guard is defined but never used',
    advice: 'Use it, or remove it',
  },
  ROUTE_SHADOWED: {
    about: 'A route is never taken, because an earlier one always matches',
    advice: 'Put the more specific route first, or give the earlier one a condition',
  },
  NEXT_IGNORED: {
    about: 'A route is defined after the run has already ended',
    advice: 'Remove the route, or do not end the run there',
  },
  ENDS_WITHOUT_ACTION: {
    about: 'An answer ends the run without saying so',
    advice: 'Add `complete` or `block`, or name the next state',
  },
  STEP_STALLS: {
    about: 'A step collects no fields, so the agent has no reason to submit it',
    advice: 'Make the agent call the submit tool: `"tools": {"call": true}`',
  },
  LAST_ROUTE_CONDITIONAL: {
    about: 'If no condition is true, the whole form is complete',
    advice: 'End `next` with an entry without `if`',
  },
  BARE_LITERAL: {
    about: 'Without backticks, JMESPath reads a number or a boolean as a field name',
    advice: 'Put it in backticks to mean the value',
  },
  CONDITION_NEVER_HOLDS: {
    about: 'The result of a condition, or of a part of it, does not depend on the data',
    advice:
      'Compare values of the same type; compare strings such as dates with CEL; ' +
      'write `!(inputs.x)`, not `!inputs.x`',
  },
  COUNTER_RESET_IN_LOOP: {
    about: 'A counter is reset in every round of the loop that it should end',
    advice: 'Set it before the loop starts',
  },
  TOOL_UNKNOWN: {
    about: 'The host has no tool with this name',
    advice: 'Correct the name, or add the tool to the host',
  },
  TOOL_IGNORED: {
    about: 'A tool is listed where the list has no effect',
    advice: "Use `policy` for the host's tools",
  },
  COMMAND_TOO_BROAD: {
    about: 'An allowed command can run any other command',
    advice: 'Allow only the commands that the work needs, by their first words',
  },
  COMMAND_NEVER_MATCHES: {
    about: 'No command can match this entry of a command list as it was probably meant',
    advice: 'Use the first words of the command; `*` matches any characters within a word',
  },
  APPROVAL_ADVISORY: {
    about: 'An approval is required, but nobody is asked',
    advice: 'Set `approval_mode` to `ui`, or remove `requires_approval`',
  },
  RULE_SHADOWED: {
    about: 'A policy rule has no effect, because a stricter one comes first',
    advice: 'Remove it, or narrow the stricter rule',
  },
  ORDER_NEVER_HOLDS: {
    about: 'A policy rule has a prerequisite that can never be met',
    advice: 'Require a call that can be made first; limit the rule with `when`',
  },
  WHEN_ALLOWS_MORE: {
    about: 'A policy that denies all else allows more than the `when` of a rule names',
    advice: 'Allow the capability in a rule of its own, or drop `when`',
  },
  FIELD_UNKNOWN: {
    about: 'A field is unknown and has no effect',
    advice: 'Remove it, or put notes under `meta`',
  },
  FIELD_ALIAS: {
    about: 'A field is another spelling of a known one',
    advice: 'Use the name that the hint shows',
  },
  CYCLE_WITHOUT_LIMIT: {
    about: 'The run can go in circles forever',
    advice: "Limit the run's calls (`meta.calls_max`), or require an approval in the cycle",
  },
  SLOT_IGNORED: {
    about: 'Operations are in a slot that is never used there',
    advice: 'Move them to the slot that the hint names',
  },
  DEBUG_ENABLED: {
    about: 'The definition lets a person force the run into any stage',
    advice: 'Remove `debug` before real work',
  },
}

/** What each finding means. */
export const codeHelp: Readonly<Record<ErrorCode | WarningCode, CodeHelp>> = {
  ...errorHelp,
  ...warningHelp,
}
