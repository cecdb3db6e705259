/**
 * Which runs go on. Plain data: a client that reads it loads nothing else.
 */

/** Statuses of runs that have not ended. */
export const openStatuses = ['running', 'waiting', 'paused'] as const

/** Whether a run of this status goes on. */
export function isOpen(status: string): boolean {
  return openStatuses.some((one) => one === status)
}
