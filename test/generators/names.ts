/**
 * Names an author could choose: ordinary ones, odd ones that must work, and those that must not.
 */
import fc from 'fast-check'

const ordinary = [
  'plan',
  'code',
  'test',
  'review',
  'ship',
  'fix',
  'wait',
  'done',
  'failed',
] as const

/** Odd, but allowed. */
export const oddNames = [
  '10',
  '9',
  'x/y~z',
  'a b',
  'ümläut',
  '日本',
  '🙂',
  '{{x}}',
  `\${x}`,
  '$ref',
  '-',
  "it's",
  '"',
  '`tick`',
  '<b>',
  'a\nb',
  'Prototype',
  'null',
  'true',
  'x'.repeat(300),
] as const

/** Names that mean something to JavaScript or to Pawl itself. */
export const evilNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '',
  ' ',
  '$return',
  'BRANCH_DONE:left',
  'INTERRUPT:notes',
] as const

const allowedName = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ordinary) },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
)

/** Different names of stages. */
export function stageNames(min: number, max: number): fc.Arbitrary<string[]> {
  return fc.uniqueArray(allowedName, { minLength: min, maxLength: max, size: 'max' })
}

/** Names of events and answers; few, so that a walk meets them often. */
export const signalName: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GO', 'BACK', 'DONE', 'FAIL', 'yes', 'no') },
  { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
)

/** Variables, fields and inputs share these, so that expressions find something. */
export const fieldNames = ['x', 'y', 'n', 'flag', 'list'] as const
export const fieldName: fc.Arbitrary<string> = fc.constantFrom(...fieldNames)

/** Tools of a host. */
export const toolNames = ['Read', 'Edit', 'Write', 'Bash', 'Grep', 'lookup'] as const
export const toolName: fc.Arbitrary<string> = fc.constantFrom(...toolNames)

/** Definitions that may be invoked, in the order in which they may invoke each other. */
export const invokedNames = ['child-a', 'child-b'] as const
