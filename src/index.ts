/**
 * What Pawl gives to programs: reading, checking, running, drawing and testing definitions.
 * Must not know a door.
 */
export {
  type CompiledDefinition,
  type CompileOptions,
  compileDefinition,
} from './core/dialects/compile-definition.ts'
export { hear, type Utterance } from './core/dialects/hear.ts'
export { type View, viewMember } from './core/dialects/view.ts'
export { printAscii } from './core/draw/ascii.ts'
export { printDot } from './core/draw/dot.ts'
export { printMermaid } from './core/draw/mermaid.ts'
export { type Picture, pictureOf } from './core/draw/picture.ts'
export {
  type Answered,
  commandFamily,
  type Family,
  type Library,
  type Member,
  mainOf,
  memberOfBranch,
  openLeaf,
  type Recorded,
  startFamily,
} from './core/engine/family.ts'
export type { Actor, Command, Effect, Event, Reply, RunState } from './core/engine/types.ts'
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
} from './core/errors.ts'
export { type Finding, hasErrors } from './core/finding.ts'
export type { Json, JsonObject } from './core/json.ts'
export { linkMachine } from './core/machine/check.ts'
export type { DialectName, Machine } from './core/machine/machine.ts'
export { readSource, readValue, type SourceFormat } from './core/source/read-source.ts'
export {
  excerpt,
  type Node,
  type Position,
  placeOf,
  positionAt,
  type Range,
} from './core/source/source.ts'
export {
  type DefinitionLibrary,
  type Libraries,
  openLibraries,
} from './runtime/definition-library.ts'
export { PawlError } from './runtime/pawl-error.ts'
export { readDefinition, type SourceFile } from './runtime/read-definition.ts'
export { type Case, type CaseStep, checkCases } from './testing/case-schema.ts'
export type { Failure } from './testing/compare-step.ts'
export { type Coverage, mergeCoverage } from './testing/coverage.ts'
export { type CaseResult, type CaseSource, caseSource, playCase } from './testing/play-case.ts'
