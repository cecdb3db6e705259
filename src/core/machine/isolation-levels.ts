/**
 * The isolation levels of jobs, from the strongest to the weakest. Only their order is known here.
 */

export const isolationLevels = ['full', 'isolated', 'restricted', 'contained', 'none'] as const
export type IsolationLevel = (typeof isolationLevels)[number]

/** How strongly jobs have to be held, and which rule says so, in words. */
export type MinIsolation = { readonly level: IsolationLevel; readonly by: string }
