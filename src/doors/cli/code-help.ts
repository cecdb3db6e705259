/**
 * What the code of each finding means and what to do about it, for people and for scanners.
 * The codes themselves are in `core/errors.ts`; the types below keep the two lists the same.
 */
import type { ErrorCode, WarningCode } from '../../core/errors.ts'

/** Two plain sentences, without their full stops. */
export type CodeHelp = { readonly about: string; readonly advice: string }

const errorHelp: Readonly<Record<ErrorCode, CodeHelp>> = {
  SYNTAX_INVALID: {
    about: 'The text is not JSON or YAML',
    advice:
      'Repair the text at the place that is marked; often a comma or a quote is missing before',
  },
  SCHEMA_INVALID: {
    about: 'A field is missing or has a value of the wrong kind, or nothing tells the dialect',
    advice: 'Write what the message asks for; the schemas in `schemas/` show every field',
  },
  NAME_INVALID: {
    about: 'A name has characters that it can not have there',
    advice: 'Use the form that the hint shows',
  },
  INITIAL_UNKNOWN: {
    about: 'The definition begins in a stage that it does not have',
    advice: 'Name one of its stages, or add that one',
  },
  TARGET_UNKNOWN: {
    about: 'A way leads to a stage that does not exist',
    advice: 'Correct the name, or add the stage',
  },
  GUARD_UNKNOWN: {
    about: 'A transition names a guard that is not defined',
    advice: 'Define it under `guards`, or correct the name',
  },
  NO_FINAL: {
    about: 'No stage ends the run, so that it could never be done',
    advice: 'Add a final stage, or a way that ends the run',
  },
  FORK_INVALID: {
    about: 'A branch of a fork can not begin or end where it says, or never reaches its end',
    advice:
      'End the branch in a final stage that its first stage leads to, under a name of its own',
  },
  INVOKE_UNKNOWN: {
    about: 'A definition is invoked that is not there, or that has errors itself',
    advice: 'Put it beside this file, or name its file in the same command',
  },
  INVOKE_CYCLE: {
    about: 'Definitions invoke each other in a circle that never ends',
    advice: 'Take one of the invocations out',
  },
  RETURN_OUTSIDE_DETOUR: {
    about: 'A way returns to where a detour began, but no detour leads here',
    advice: 'Name the stage to go to, or make this stage part of a detour',
  },
  RESERVED_NAME: {
    about: 'A name is kept for Pawl itself',
    advice: 'Choose another name',
  },
  EXPRESSION_INVALID: {
    about: 'An expression can not be read',
    advice:
      'Repair it at the place that the message names; it must be JMESPath, or CEL where stated',
  },
  PATTERN_INVALID: {
    about: 'A pattern can not be read, or could take too long to match',
    advice: 'Write it in the RE2 syntax: without look-around and back-references',
  },
  OP_NOT_ALLOWED_HERE: {
    about: 'An operation stands in a slot in which it can not run',
    advice: 'Move it to the slot that the hint names',
  },
  VALUE_CONFLICT: {
    about: 'Two fields say different things about the same value',
    advice: 'Keep the one you mean',
  },
  DUPLICATE_STEP: {
    about: 'Two steps have the same id, so that one of them could never be meant',
    advice: 'Give each step its own id',
  },
  DUPLICATE_KEY: {
    about: 'The same name stands twice in one object, and only one would count',
    advice: 'Remove or rename one of them',
  },
  LIMIT_INVALID: {
    about: 'A limit is not a number that can limit anything',
    advice: 'Write a number in the range that is named, or leave it out for no limit',
  },
  SIZE_EXCEEDED: {
    about: 'The file, or a part of it, is larger than Pawl reads',
    advice: 'Split the definition and let one part invoke the other',
  },
  FIELD_MISSPELT: {
    about: 'A field is written almost like a known one, and would be ignored',
    advice: 'Correct the name: a restriction that is ignored restricts nothing',
  },
}

const warningHelp: Readonly<Record<WarningCode, CodeHelp>> = {
  STAGE_UNREACHABLE: {
    about: 'No way leads to this stage',
    advice: 'Add a way to it, or take it out',
  },
  DEAD_END: {
    about: 'No way leads out of this stage, and it does not end the run',
    advice: 'Make it final, or give it a way out',
  },
  NO_PATH_TO_FINAL: {
    about: 'From here the run can never come to its end',
    advice: 'Lead one of the stages on this path to an end',
  },
  OPEN_STAGE: {
    about: 'The stage allows every tool',
    advice: 'List the tools that the work needs',
  },
  ESCALATION_UNGATED: {
    about: 'In dangerous work the agent gets more power without a person agreeing',
    advice: 'Let a person approve the way into the stage that allows more',
  },
  GUARD_UNSATISFIABLE: {
    about: 'A guard can never hold, so that its way is never taken',
    advice:
      'Correct the field or the value, or let something set the field before: ' +
      'the data of an event is merged after its guards were asked',
  },
  GUARD_SELF_REPORTED: {
    about: "A guard rests on the agent's word alone",
    advice: 'Let a person approve the way where a false claim would do harm',
  },
  GUARD_UNUSED: {
    about: 'A guard is defined and nothing uses it',
    advice: 'Use it, or take it out',
  },
  ROUTE_SHADOWED: {
    about: 'A way is never taken, because one before it always is',
    advice: 'Put the more special way first, or give the earlier one a condition',
  },
  NEXT_IGNORED: {
    about: 'A way is written down where the run has ended already',
    advice: 'Take the way out, or do not end the run there',
  },
  ENDS_WITHOUT_ACTION: {
    about: 'An answer ends the run without saying so',
    advice: 'Say `complete` or `block`, or name the next state',
  },
  STEP_STALLS: {
    about: 'A step collects nothing, so that the agent has no reason to submit it',
    advice: 'Make the agent call: `"tools": {"call": true}`',
  },
  LAST_ROUTE_CONDITIONAL: {
    about: 'When no condition holds, the whole form is complete',
    advice: 'End `next` with an entry without `if`',
  },
  BARE_LITERAL: {
    about: 'A number or a truth without backticks is the name of a field in JMESPath',
    advice: 'Put it in backticks to mean the value',
  },
  COUNTER_RESET_IN_LOOP: {
    about: 'A counter is set back on every turn of the loop that it should end',
    advice: 'Set it before the loop begins',
  },
  TOOL_UNKNOWN: {
    about: 'A tool is named that the host does not have',
    advice: 'Correct the name, or add the tool to the host',
  },
  TOOL_IGNORED: {
    about: 'A tool is listed where listing it has no effect',
    advice: 'Use `policy` for the tools of the host',
  },
  COMMAND_TOO_BROAD: {
    about: 'An allowed command can run any other command',
    advice: 'Allow the commands that the work needs, with their first words',
  },
  COMMAND_NEVER_MATCHES: {
    about: 'An entry of a command list is written so that no command can match it',
    advice: 'Write the first words of the command, as plain words',
  },
  APPROVAL_ADVISORY: {
    about: 'An approval is written down, but nobody is asked',
    advice: 'Set `approval_mode` to `ui`, or take `requires_approval` away',
  },
  RULE_SHADOWED: {
    about: 'A policy rule has no effect, because a stricter one comes first',
    advice: 'Remove it, or narrow the stricter rule',
  },
  FIELD_UNKNOWN: {
    about: 'A field is not known and has no effect',
    advice: 'Take it out, or put notes under `meta`',
  },
  FIELD_ALIAS: {
    about: 'A field is another spelling of a known one',
    advice: 'Write the name that the hint shows',
  },
  CYCLE_WITHOUT_LIMIT: {
    about: 'Work can go round in a circle for ever',
    advice: 'Limit the calls of the run (`meta.calls_max`), or let a person approve a way in it',
  },
  SLOT_IGNORED: {
    about: 'Operations stand in a slot that never runs there',
    advice: 'Move them to the slot that the hint names',
  },
  DEBUG_ENABLED: {
    about: 'The definition lets a person force the run into any stage',
    advice: 'Take `debug` out before real work',
  },
}

/** What each finding means. */
export const codeHelp: Readonly<Record<ErrorCode | WarningCode, CodeHelp>> = {
  ...errorHelp,
  ...warningHelp,
}
