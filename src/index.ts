/**
 * What Pawl gives to programs: reading, checking, running, drawing and testing definitions.
 * Must not know a door.
 */
export * from './core/index.ts'
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
