/**
 * A definition of any dialect together with those it may invoke.
 */
import fc from 'fast-check'
import type { Json } from '../../src/core/json.ts'
import { invokedNames } from './names.ts'
import { processDefinition } from './process.ts'
import { stepsDefinition } from './steps.ts'
import { workflowDefinition } from './workflow.ts'

export type DefinitionSet = {
  readonly kind: 'process' | 'workflow' | 'steps'
  readonly main: Json
  /** By the name an invoke uses. */
  readonly library: Readonly<Record<string, Json>>
}

const child = fc.oneof(processDefinition('any'), stepsDefinition, workflowDefinition('any', []))

const library = fc
  .tuple(child, fc.oneof(child, workflowDefinition('any', invokedNames.slice(0, 1))))
  .map(([first, second]): Record<string, Json> => ({ 'child-a': first, 'child-b': second }))

const none: fc.Arbitrary<Record<string, Json>> = fc.constant({})

/** A workflow with everything a workflow may have. */
export const workflowSet: fc.Arbitrary<DefinitionSet> = fc.record({
  kind: fc.constant('workflow' as const),
  main: workflowDefinition('any', invokedNames),
  library,
})

const processSet: fc.Arbitrary<DefinitionSet> = fc.record({
  kind: fc.constant('process' as const),
  main: processDefinition('any'),
  library: none,
})

const stepsSet: fc.Arbitrary<DefinitionSet> = fc.record({
  kind: fc.constant('steps' as const),
  main: stepsDefinition,
  library: none,
})

/** Any definition of any dialect. */
export const definitionSet: fc.Arbitrary<DefinitionSet> = fc.oneof(
  { weight: 3, arbitrary: workflowSet },
  { weight: 1, arbitrary: processSet },
  { weight: 2, arbitrary: stepsSet },
)

/** Definitions in which no way completes the main run without asking a person. */
export const gatedSet: fc.Arbitrary<DefinitionSet> = fc.oneof(
  fc.record({
    kind: fc.constant('workflow' as const),
    main: workflowDefinition('every', invokedNames),
    library,
  }),
  fc.record({
    kind: fc.constant('process' as const),
    main: processDefinition('every'),
    library: none,
  }),
)
