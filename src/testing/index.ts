/**
 * Playing cases from a program: what `pawl test` does, for test suites of one's own.
 */
export { type Case, type CaseStep, checkCases } from './case-schema.ts'
export type { Failure } from './compare-step.ts'
export { type Coverage, mergeCoverage } from './coverage.ts'
export { type CaseResult, type CaseSource, caseSource, playCase } from './play-case.ts'
