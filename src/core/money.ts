/**
 * Money: dollars as people write them, and whole millionths, which add up exactly. Must not know
 * who spends it.
 */

const microPerUsd = 1_000_000

/** What one report may say: more is a lie or a fault. */
export const costMicroUsdMax = 10_000 * microPerUsd
/** What a run can have cost in all: far below where whole numbers end. */
export const sumMicroUsdMax = 1_000_000_000 * microPerUsd
/** Tokens that one report may say, of each kind. */
export const tokensMax = 1_000_000_000

/** Both together, and never more than a run can have cost. */
export function addMicroUsd(a: number, b: number): number {
  return Math.min(a + b, sumMicroUsdMax)
}

/** Dollars as whole millionths. */
export function microUsd(usd: number): number {
  return Math.round(usd * microPerUsd)
}

/** Whole millionths as dollars. */
export function usdOf(micro: number): number {
  return micro / microPerUsd
}

/** Whole millionths as a text in dollars, to the last millionth that is not zero. */
export function usdText(micro: number): string {
  const dollars = Math.floor(micro / microPerUsd)
  const rest = String(micro % microPerUsd).padStart(6, '0')
  return `$${dollars}.${rest.replace(/0{1,4}$/, '')}`
}

/** `$0.81 of $1.00`. */
export function budgetText(budget: {
  readonly spentMicroUsd: number
  readonly maxMicroUsd: number
}): string {
  return `${usdText(budget.spentMicroUsd)} of ${usdText(budget.maxMicroUsd)}`
}
