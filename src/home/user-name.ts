/** The name under which decisions of the owner of the data directory are recorded. */
import { userInfo } from 'node:os'

/** The user of the operating system. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the system may know a user by number only.
    return `uid ${process.getuid?.() ?? 0}`
  }
}
