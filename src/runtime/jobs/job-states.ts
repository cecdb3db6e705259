/** The states of a job. Plain data: a page that imports it loads nothing else. */
export const jobStates = ['running', 'completed', 'killed', 'timed_out'] as const
export type JobState = (typeof jobStates)[number]
