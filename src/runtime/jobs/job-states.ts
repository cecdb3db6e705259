/** How a job stands. Plain data: what a page reads loads nothing else. */
export const jobStates = ['running', 'completed', 'killed', 'timed_out'] as const
export type JobState = (typeof jobStates)[number]
