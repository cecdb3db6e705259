/**
 * What the codes of refusals and denials mean: those that a run answers with, and the gateway.
 */
import type { DenialCode, GatewayCode, RefusalCode } from '../../core/errors.ts'
import type { CodeHelp } from './code-help.ts'

export const replyHelp: Readonly<Record<RefusalCode | DenialCode | GatewayCode, CodeHelp>> = {
  SIGNAL_UNKNOWN: {
    about: 'The stage does not know what was sent',
    advice: 'Send one of the signals that the stage offers',
  },
  STAGE_STALE: {
    about: 'The answer was meant for another stage than the run is in',
    advice: 'Look where the run stands, and answer that',
  },
  GUARD_FAILED: {
    about: 'No way out has all its conditions fulfilled',
    advice: 'Do what the guards ask for, or send something else',
  },
  FIELDS_MISSING: {
    about: 'Values that are required were not given',
    advice: 'Submit the ones that are named',
  },
  FIELDS_INVALID: {
    about: 'A value is not what its field asks for',
    advice: 'Submit a value of the right kind and form',
  },
  DATA_INVALID: {
    about: 'The data is too large, too deep, or has names that are not allowed',
    advice: 'Send less, as plain JSON',
  },
  EXPRESSION_FAILED: {
    about: 'An expression of the definition could not be worked out, and nothing was changed',
    advice: 'Correct the expression, or give the values that it needs',
  },
  RUN_NOT_RUNNING: {
    about: 'The run has ended, or is paused',
    advice: 'Resume it, or start a new one',
  },
  APPROVAL_PENDING: {
    about: 'A person has been asked, and nothing moves until they answer',
    advice: 'Wait for the answer',
  },
  APPROVAL_UNKNOWN: {
    about: 'There is no such question to a person',
    advice: 'Look which approval is pending',
  },
  APPROVAL_EXPIRED: {
    about: 'Nobody answered in time',
    advice: 'Ask again',
  },
  NOT_PERMITTED: {
    about: 'Only a person may do this',
    advice: 'Ask the person who is in charge of the run',
  },
  BRANCH_UNKNOWN: {
    about: 'No branch of that name is open',
    advice: 'Name one of the open branches',
  },
  BRANCH_UNFINISHED: {
    about: 'The branch has not reached its end',
    advice: 'Finish it first',
  },
  STEP_UNKNOWN: {
    about: 'The form has no step of that name',
    advice: 'Name one of its steps',
  },
  RETURN_OUTSIDE_DETOUR: {
    about: 'There is no detour to return from',
    advice: 'Send a signal that leads to a stage',
  },
  STAGE_UNKNOWN: {
    about: 'The definition has no stage of that name',
    advice: 'Name one of its stages',
  },
  DEBUG_DISABLED: {
    about: 'The definition does not let the run be forced',
    advice: 'Set `meta.debug` while you work on the definition',
  },
  RUN_UNKNOWN: {
    about: 'There is no such run',
    advice: 'Start one, or look which there are',
  },
  CALL_UNKNOWN: {
    about: 'A call was reported that was never allowed',
    advice: 'Ask before calling, then report that call',
  },
  TOOL_NOT_ALLOWED: {
    about: 'The stage does not allow this tool',
    advice: 'Use one that it allows, or move on to a stage that does',
  },
  COMMAND_NOT_ALLOWED: {
    about: 'The stage does not allow this command',
    advice: 'Run one that it allows',
  },
  COMMAND_UNREADABLE: {
    about: 'The command can not be read well enough to be sure what it does',
    advice: 'Write it in a simpler way',
  },
  SHELL_WRITE_NOT_ALLOWED: {
    about: 'The command writes a file, and the stage allows no writing',
    advice: 'Leave the redirection out, or move on to a stage that allows writing',
  },
  ENV_BLOCKED: {
    about: 'The command sets or reads an environment variable that is blocked',
    advice: 'Leave the variable out',
  },
  PATH_OUT_OF_SCOPE: {
    about: 'The file lies outside what the run may reach',
    advice: 'Work on files inside the workspace',
  },
  PATH_PROTECTED: {
    about: 'The file is protected from the agent',
    advice: 'Let a person change it',
  },
  EDIT_TOO_LARGE: {
    about: 'The edit changes more lines than the stage allows',
    advice: 'Make smaller edits',
  },
  TOO_MANY_FILES: {
    about: 'More files were changed than the stage allows',
    advice: 'Move on, or keep to the files changed so far',
  },
  CALLS_EXHAUSTED: {
    about: 'The calls that the stage or the run allows are used up',
    advice: 'Move on to another stage',
  },
  BYTES_EXHAUSTED: {
    about: 'The output that the stage allows is used up',
    advice: 'Move on to another stage',
  },
  BUDGET_EXHAUSTED: {
    about: 'The money is spent, or held for calls that are open',
    advice: 'Report open calls, wait for the next period, or let a person raise the budget',
  },
  RATE_LIMITED: {
    about: 'Calls came faster than the policy allows',
    advice: 'Wait, then try again',
  },
  POLICY_DENIED: {
    about: 'A rule of the policy forbids the call',
    advice: 'Do without it, or let the operator change the policy',
  },
  STORE_CONFLICT: {
    about: 'The run kept moving while the call was being decided, so nothing was decided',
    advice: 'Make the call again',
  },
  STORE_UNAVAILABLE: {
    about: 'The decision could not be kept: the disk is full or read-only, or the database is away',
    advice: 'Make room or bring the database back; until then every call is denied',
  },
  STORE_CORRUPT: {
    about: 'What is kept does not fit its own hash',
    advice: 'Look at it with `pawl log --verify` and `pawl db check`, and restore a backup',
  },
  LOG_BROKEN: {
    about: 'The log of the run does not hang together, and nothing is decided on it',
    advice: 'See where with `pawl log RUN --verify`, and restore a backup',
  },
  REQUEST_INVALID: {
    about: 'What was sent cannot be meant: its command id belongs to another command',
    advice: 'Give every command an id of its own, and use it again only to send the same once more',
  },
  OVERLOADED: {
    about: 'More waits for this run or for the store than can be served',
    advice: 'Make the call again in a moment',
  },
  INTERNAL: {
    about: 'Something went wrong while the call was judged, so it was denied',
    advice: 'Try again, and report it when it happens twice',
  },
  TOOL_UNPINNED: {
    about: 'A tool behind the gateway, or the way its server is started, is new or has changed',
    advice: 'Let a person look at it with `pawl gateway pins` and agree with `pawl gateway accept`',
  },
  CALL_UNSURE: {
    about: 'The call was allowed before, and it is not known whether it has happened',
    advice: 'Look whether it has, before making it again',
  },
  CALL_DONE: {
    about: 'The call was made before, under the same key',
    advice: 'Go on with its result; give a new call a key of its own',
  },
  APPROVAL_REFUSED: {
    about: 'A person refused the call, or nobody decided in time',
    advice: 'Go on without it',
  },
  UPSTREAM_LOST: {
    about: 'The server behind the gateway cannot be reached, or went away during the call',
    advice: 'Look whether the call has happened, then make it again; the server is started anew',
  },
  UPSTREAM_TIMEOUT: {
    about: 'The server behind the gateway did not answer in time',
    advice: 'Look whether the call has happened; `timeoutSeconds` in `gateway.json` is the limit',
  },
  UPSTREAM_FLOOD: {
    about: 'The server behind the gateway sent more than the gateway takes',
    advice: 'Ask for less at once',
  },
}
