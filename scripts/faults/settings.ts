/** The settings of a node of the fault loops, and its tokens. */
export type NodeSettings = {
  readonly database:
    | { readonly kind: 'sqlite'; readonly path: string }
    | { readonly kind: 'postgres'; readonly url: string }
  readonly socket: string
  readonly failAt: FailAt | null
}

/** `during`: while the commit is under way. `after`: it is kept, and nobody was told. */
export type FailAt = { readonly commit: number; readonly when: 'before' | 'during' | 'after' }

export const agentToken = 'agent-token-of-the-faults'
export const personToken = 'person-token-of-the-faults'
