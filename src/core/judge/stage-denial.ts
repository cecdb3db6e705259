/** Why a rule of a stage denies a call, and which of its fields is the reason. */
import type { Denial } from '../engine/types.ts'
import type { StageOrigins } from '../machine/machine.ts'

/** `paths`: the files beyond the workspace, which the whole definition has in common. */
export type RuleField = keyof StageOrigins | 'paths'

/** A denial that can be traced to what its author wrote. */
export type StageDenial = Denial & { readonly field: RuleField }
