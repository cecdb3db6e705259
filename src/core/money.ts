/**
 * Money: dollars as people write them, and whole millionths, in which it adds exactly.
 * Must not know who spends it.
 */

const microPerUsd = 1_000_000

/** Dollars as whole millionths. */
export function microUsd(usd: number): number {
  return Math.round(usd * microPerUsd)
}

/** Whole millionths as dollars. */
export function usdOf(micro: number): number {
  return micro / microPerUsd
}

/** Whole millionths as a text in dollars, to the last millionth that is not nought. */
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
