/**
 * The one list of codes: rejections, denials, findings and faults.
 * Tests and callers match the code, never the message.
 */

export const refusalCodes = [
  'SIGNAL_UNKNOWN',
  'STAGE_STALE',
  'GUARD_FAILED',
  'FIELDS_MISSING',
  'FIELDS_INVALID',
  'DATA_INVALID',
  'EXPRESSION_FAILED',
  'RUN_NOT_RUNNING',
  'APPROVAL_PENDING',
  'APPROVAL_UNKNOWN',
  'APPROVAL_EXPIRED',
  'PASSKEY_NEEDED',
  'NOT_PERMITTED',
  'BRANCH_UNKNOWN',
  'BRANCH_UNFINISHED',
  'STEP_UNKNOWN',
  'RETURN_OUTSIDE_DETOUR',
  'STAGE_UNKNOWN',
  'DEBUG_DISABLED',
  'RUN_UNKNOWN',
  'CALL_UNKNOWN',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

export const denialCodes = [
  'TOOL_NOT_ALLOWED',
  'COMMAND_NOT_ALLOWED',
  'COMMAND_UNREADABLE',
  'SHELL_WRITE_NOT_ALLOWED',
  'ENV_BLOCKED',
  'PATH_OUT_OF_SCOPE',
  'PATH_PROTECTED',
  'EDIT_TOO_LARGE',
  'TOO_MANY_FILES',
  'CALLS_EXHAUSTED',
  'BYTES_EXHAUSTED',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'POLICY_DENIED',
  'RUN_NOT_RUNNING',
  'APPROVAL_PENDING',
  'APPROVAL_REFUSED',
  'CALL_UNSURE',
  'CALL_DONE',
  'STORE_CONFLICT',
  'STORE_UNAVAILABLE',
  'STORE_CORRUPT',
  'LOG_BROKEN',
  'REQUEST_INVALID',
  'OVERLOADED',
  'INTERNAL',
] as const
export type DenialCode = (typeof denialCodes)[number]

/** What a gateway in front of MCP servers says beside them. */
export const gatewayCodes = [
  'TOOL_UNPINNED',
  'UPSTREAM_LOST',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_FLOOD',
] as const
export type GatewayCode = (typeof gatewayCodes)[number]

export const errorCodes = [
  'SYNTAX_INVALID',
  'SCHEMA_INVALID',
  'NAME_INVALID',
  'INITIAL_UNKNOWN',
  'TARGET_UNKNOWN',
  'GUARD_UNKNOWN',
  'NO_FINAL',
  'FORK_INVALID',
  'INVOKE_UNKNOWN',
  'INVOKE_CYCLE',
  'RETURN_OUTSIDE_DETOUR',
  'RESERVED_NAME',
  'EXPRESSION_INVALID',
  'PATTERN_INVALID',
  'OP_NOT_ALLOWED_HERE',
  'VALUE_CONFLICT',
  'DUPLICATE_STEP',
  'DUPLICATE_KEY',
  'LIMIT_INVALID',
  'SIZE_EXCEEDED',
  'FIELD_MISSPELT',
] as const
export type ErrorCode = (typeof errorCodes)[number]

export const warningCodes = [
  'STAGE_UNREACHABLE',
  'DEAD_END',
  'NO_PATH_TO_FINAL',
  'OPEN_STAGE',
  'ESCALATION_UNGATED',
  'GUARD_UNSATISFIABLE',
  'GUARD_SELF_REPORTED',
  'GUARD_UNUSED',
  'ROUTE_SHADOWED',
  'NEXT_IGNORED',
  'ENDS_WITHOUT_ACTION',
  'STEP_STALLS',
  'LAST_ROUTE_CONDITIONAL',
  'BARE_LITERAL',
  'CONDITION_NEVER_HOLDS',
  'COUNTER_RESET_IN_LOOP',
  'TOOL_UNKNOWN',
  'TOOL_IGNORED',
  'COMMAND_TOO_BROAD',
  'COMMAND_NEVER_MATCHES',
  'APPROVAL_ADVISORY',
  'RULE_SHADOWED',
  'FIELD_UNKNOWN',
  'FIELD_ALIAS',
  'CYCLE_WITHOUT_LIMIT',
  'SLOT_IGNORED',
  'DEBUG_ENABLED',
] as const
export type WarningCode = (typeof warningCodes)[number]

export type FindingCode = ErrorCode | WarningCode

/** Faults of the shell: thrown, never returned, and turned into a reply at a door. */
export type FaultCode =
  | 'USAGE'
  | 'FILE_UNREADABLE'
  | 'FILE_UNWRITABLE'
  | 'DEFINITION_INVALID'
  | 'CASE_INVALID'
  | 'CONVERSION_LOSSY'
  | 'NODE_TOO_OLD'
  | 'STORE_CONFLICT'
  | 'STORE_UNAVAILABLE'
  | 'STORE_CORRUPT'
  | 'STORE_VERSION'
  | 'LOG_BROKEN'
  | 'RUN_UNKNOWN'
  | 'RUN_EXISTS'
  | 'MACHINE_UNKNOWN'
  | 'DEFINITION_UNKNOWN'
  | 'DEFINITION_EXISTS'
  | 'APPROVAL_UNKNOWN'
  | 'APPROVAL_DECIDED'
  | 'PASSKEY_INVALID'
  | 'TASK_UNKNOWN'
  | 'TASK_TAKEN'
  | 'REQUEST_INVALID'
  | 'REQUEST_TOO_LARGE'
  | 'TOKEN_INVALID'
  | 'NOT_PERMITTED'
  | 'OVERLOADED'
  | 'DAEMON_UNREACHABLE'
  | 'DAEMON_RUNNING'
  | 'CONFIG_INVALID'
  | 'JOB_FAILED'
  | 'INTERNAL'
