/** The statuses of open runs. Plain data: a client that imports it loads nothing else. */

/** Statuses of runs that have not ended. */
export const openStatuses = ['running', 'waiting', 'paused'] as const

/** Whether a run of this status goes on. */
export function isOpen(status: string): boolean {
  return openStatuses.some((one) => one === status)
}
