/** Why a part of a command may be risky. Plain data. */

export const riskKinds = [
  ...(['unseen-code', 'deletion', 'force', 'publishing', 'credentials', 'outside'] as const),
  ...(['other-user', 'unreadable'] as const),
] as const
export type RiskKind = (typeof riskKinds)[number]
