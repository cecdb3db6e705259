/** The fixed limits of the runner. */

export const timeoutSecondsDefault = 300
export const timeoutSecondsMax = 3_600
/** Between the polite and the hard end of a job whose time is over. */
export const graceMs = 500
export const forceSecondsDefault = 10
export const forceSecondsMax = 3_600

/** WHY below 128 KiB: the kernel takes no longer word on a command line. */
export const commandBytesMax = 120_000
export const argsMax = 10_000
export const argsBytesMax = 1024 * 1024
export const stdinBytesMax = 8 * 1024 * 1024
export const variablesMax = 500
export const variablesBytesMax = 256 * 1024

export const linesDefault = 100
export const linesMax = 10_000
/** Of one summary; the whole is in the log. */
export const summaryBytesMax = 32 * 1024

/** A stream is kept in files of this size. */
export const segmentBytes = 1024 * 1024
/** Of both streams together, in one answer. */
export const logBytesMax = 64 * 1024 * 1024

export const listDefault = 50
export const listMax = 1_000

/** Of all that a supervisor is told of its job; `pawl-job.h` has the same. */
export const wordsBytesMax = 8 * 1024 * 1024

/** How long a helper may take to say that the program has started. */
export const startMsMax = 20_000
/** How long an answer to a kill waits beyond `force_after`. */
export const killMsMax = 8_000
/** How often a log is looked at for somebody who waits for more of it. */
export const lookMs = 40
