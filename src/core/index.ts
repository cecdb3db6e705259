/**
 * The pure core of Pawl, for programs that bring their own storage and transports. No I/O, no
 * clock: data goes in, and data comes out.
 */
export {
  type CompiledDefinition,
  type CompileOptions,
  compileDefinition,
} from './dialects/compile-definition.ts'
export { type View, viewMember } from './dialects/run-view.ts'
export { type AgentSignal, toCommand } from './dialects/to-command.ts'
export { printAscii } from './draw/ascii.ts'
export { printDot } from './draw/dot.ts'
export { printMermaid } from './draw/mermaid.ts'
export { type Picture, pictureOf } from './draw/picture.ts'
export type { Alternative } from './engine/call.ts'
export { decide } from './engine/decide.ts'
export { evolve, unborn } from './engine/evolve.ts'
export {
  commandFamily,
  type Family,
  type FamilyDecision,
  type FamilyMember,
  type Library,
  mainOf,
  memberOfBranch,
  openLeaf,
  type Recorded,
  startFamily,
} from './engine/family.ts'
export type {
  Actor,
  Call,
  Command,
  Effect,
  Event,
  Reply,
  RunState,
  Verdict,
} from './engine/types.ts'
export {
  type DenialCode,
  denialCodes,
  type ErrorCode,
  errorCodes,
  type FaultCode,
  type FindingCode,
  type RefusalCode,
  refusalCodes,
  type WarningCode,
  warningCodes,
} from './errors.ts'
export { type Finding, hasErrors } from './finding.ts'
export type { Json, JsonObject } from './json.ts'
export { judge, type Ruling } from './judge/judge.ts'
export type { RuleAnswer } from './judge/rule-answer.ts'
export type { JudgingContext } from './judge/rule-input.ts'
export { linkMachine } from './machine/check.ts'
export type { DialectName, Machine, RuleRef } from './machine/machine.ts'
export { compilePolicy } from './policy/compile-policy.ts'
export { readSource, readValue, type SourceFormat } from './source/read-source.ts'
export {
  excerpt,
  type Node,
  type Position,
  positionAt,
  positionOf,
  type Range,
} from './source/source.ts'
export { readCall } from './tools/read-call.ts'
