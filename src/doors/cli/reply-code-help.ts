/** The meaning of the codes of rejections and denials: those of runs, and of the gateway. */
import type { DenialCode, GatewayCode, RefusalCode } from '../../core/errors.ts'
import type { CodeHelp } from './code-help.ts'

export const replyHelp: Readonly<Record<RefusalCode | DenialCode | GatewayCode, CodeHelp>> = {
  SIGNAL_UNKNOWN: {
    about: 'The stage does not accept this signal',
    advice: 'Send one of the signals that the stage accepts',
  },
  STAGE_STALE: {
    about: 'The answer was meant for a stage other than the current one',
    advice: 'Check the current stage, then answer its question',
  },
  GUARD_FAILED: {
    about: 'The conditions of every possible route fail',
    advice: 'Do what the guards require, or send another signal',
  },
  FIELDS_MISSING: {
    about: 'Required values are missing',
    advice: 'Submit the fields that the message names',
  },
  FIELDS_INVALID: {
    about: 'A value does not fit its field',
    advice: 'Submit a value of the right type and format',
  },
  DATA_INVALID: {
    about: 'The data is too large or nested too deeply, or contains names that are not allowed',
    advice: 'Send less data, as plain JSON',
  },
  EXPRESSION_FAILED: {
    about: 'An expression in the definition failed, and nothing was changed',
    advice: 'Correct the expression, or provide the values that it needs',
  },
  RUN_NOT_RUNNING: {
    about: 'The run has ended or is paused',
    advice: 'Resume it, or start a new one',
  },
  APPROVAL_PENDING: {
    about: 'An approval is pending, and the run does not move until it is decided',
    advice: 'Wait for the decision',
  },
  APPROVAL_UNKNOWN: {
    about: 'There is no such approval',
    advice: 'Check which approval is pending',
  },
  APPROVAL_EXPIRED: {
    about: 'Nobody decided in time',
    advice: 'Ask again',
  },
  PASSKEY_NEEDED: {
    about: 'The decision must be signed with a passkey',
    advice: 'Decide on the page (`pawl open`)',
  },
  NOT_PERMITTED: {
    about: 'Only a person may do this',
    advice: 'Ask the person in charge of the run',
  },
  BRANCH_UNKNOWN: {
    about: 'No open branch has this name',
    advice: 'Name one of the open branches',
  },
  BRANCH_UNFINISHED: {
    about: 'The branch has not reached its end',
    advice: 'Finish it first',
  },
  STEP_UNKNOWN: {
    about: 'The form has no step with this name',
    advice: 'Name one of its steps',
  },
  RETURN_OUTSIDE_DETOUR: {
    about: 'There is no detour to return from',
    advice: 'Send a signal that leads to a stage',
  },
  STAGE_UNKNOWN: {
    about: 'The definition has no stage with this name',
    advice: 'Name one of its stages',
  },
  DEBUG_DISABLED: {
    about: 'The definition does not allow forcing a run',
    advice: 'Set `meta.debug` while you work on the definition',
  },
  RUN_UNKNOWN: {
    about: 'There is no such run',
    advice: 'List the runs, or start one',
  },
  CALL_UNKNOWN: {
    about: 'The reported call was never allowed',
    advice: 'Have a call checked before you make it, then report it',
  },
  TOOL_NOT_ALLOWED: {
    about: 'The stage does not allow this tool',
    advice: 'Use an allowed tool, or move on to a stage that allows it',
  },
  COMMAND_NOT_ALLOWED: {
    about: 'The stage does not allow this command',
    advice: 'Run an allowed command',
  },
  COMMAND_UNREADABLE: {
    about: 'The command cannot be parsed well enough to know what it does',
    advice: 'Write it in a simpler way',
  },
  SHELL_WRITE_NOT_ALLOWED: {
    about: 'The command writes a file, but the stage does not allow writing',
    advice: 'Remove the redirection, or move on to a stage that allows writing',
  },
  ENV_BLOCKED: {
    about: 'The command sets or reads a blocked environment variable',
    advice: 'Do not use the variable',
  },
  PATH_OUT_OF_SCOPE: {
    about: 'The file is outside the paths that the run may reach',
    advice: 'Work on files inside the workspace',
  },
  PATH_PROTECTED: {
    about: 'The file is protected from the agent',
    advice: 'Ask a person to change it',
  },
  EDIT_TOO_LARGE: {
    about: 'The edit changes more lines than the stage allows',
    advice: 'Make smaller edits',
  },
  TOO_MANY_FILES: {
    about: 'More files were changed than the stage allows',
    advice: 'Move on, or change only the files that you have already changed',
  },
  CALLS_EXHAUSTED: {
    about: 'The limit on calls in this stage or run is used up',
    advice: 'Move on to another stage',
  },
  BYTES_EXHAUSTED: {
    about: 'The limit on output in this stage is used up',
    advice: 'Move on to another stage',
  },
  BUDGET_EXHAUSTED: {
    about: 'The budget is spent, or reserved for open calls',
    advice: 'Report open calls, wait for the next period, or ask a person to raise the budget',
  },
  RATE_LIMITED: {
    about: 'Calls were made faster than the policy allows',
    advice: 'Wait, then try again',
  },
  COUNT_EXHAUSTED: {
    about: 'As many calls were made as the policy allows in this run, session or time',
    advice: 'Continue without it, or wait until earlier calls no longer count',
  },
  SUM_EXHAUSTED: {
    about: 'The numbers of the calls would add up to more than the policy allows',
    advice:
      'Send a smaller number, continue without it, or wait until earlier calls no longer count',
  },
  PREREQUISITE_MISSING: {
    about: 'The policy requires an earlier call that has not succeeded, or no longer counts',
    advice: 'Make the earlier call first; when it has succeeded, make this one',
  },
  PREREQUISITE_RUNNING: {
    about: 'The policy requires an earlier call that is still running',
    advice: 'Wait for its result, then make this call again',
  },
  CALL_REPEATED: {
    about: 'The same call has failed several times, and nothing has changed since',
    advice: 'Read the error, change something or try another way, then make the call again',
  },
  POLICY_DENIED: {
    about: 'A policy rule forbids the call',
    advice: 'Continue without it, or ask the owner of the policy to change it',
  },
  STORE_CONFLICT: {
    about: 'The run kept changing while the call was judged, so there is no decision',
    advice: 'Make the call again',
  },
  STORE_UNAVAILABLE: {
    about: 'The decision cannot be stored: the disk is full or read-only, or the database is down',
    advice: 'Free disk space or restart the database; until then, every call is denied',
  },
  STORE_CORRUPT: {
    about: 'Stored data does not match its own hash',
    advice: 'Check it with `pawl log --verify` and `pawl db check`, and restore a backup',
  },
  LOG_BROKEN: {
    about: "The log's hash chain is broken, so no decision is based on it",
    advice: 'Find the damaged record with `pawl log RUN --verify`, and restore a backup',
  },
  REQUEST_INVALID: {
    about: 'The request is invalid: its command id belongs to another command',
    advice: 'Give every command a new id, and reuse it only to repeat the same command',
  },
  OVERLOADED: {
    about: 'Too many requests are waiting for this run or for the store',
    advice: 'Make the call again in a moment',
  },
  INTERNAL: {
    about: 'An internal error occurred while the call was judged, so it was denied',
    advice: 'Try again, and report it if it happens twice',
  },
  TOOL_UNPINNED: {
    about: 'A tool behind the gateway, or the launch command of its server, is new or has changed',
    advice: 'Ask a person to check `pawl gateway pins` and to run `pawl gateway accept`',
  },
  CALL_UNSURE: {
    about: 'The call was allowed before, and it is unknown whether it was made',
    advice: 'Check whether it was made before you make it again',
  },
  CALL_DONE: {
    about: 'The call was made before, under the same key',
    advice: 'Use its result; give a new call a new key',
  },
  APPROVAL_REFUSED: {
    about: 'A person refused the call, or nobody decided in time',
    advice: 'Continue without it',
  },
  UPSTREAM_LOST: {
    about: 'The server behind the gateway cannot be reached, or disconnected during the call',
    advice: 'Check whether the call was made, then make it again; the server is restarted',
  },
  UPSTREAM_TIMEOUT: {
    about: 'The server behind the gateway did not answer in time',
    advice: 'Check whether the call was made; `timeoutSeconds` in `gateway.json` sets the limit',
  },
  UPSTREAM_FLOOD: {
    about: 'The server behind the gateway sent more than the gateway accepts',
    advice: 'Request less data at a time',
  },
}
