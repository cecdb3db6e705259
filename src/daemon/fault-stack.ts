/** Formats a fault for the daemon's log. */

/** With the place it came from, where it knows one. */
export function faultStack(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
