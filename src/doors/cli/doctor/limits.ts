/**
 * What hooks can not hold, host by host, and what does instead. Each line was seen with the real
 * program, except where it says otherwise.
 */
import type { HostName } from '../../init/install.ts'

const limits: Readonly<Record<HostName, readonly string[]>> = {
  claude: [
    'started with --bare, --setting-sources user or disableAllHooks it calls no hook at all: ' +
      'managed settings or isolation cover that, nothing else does',
  ],
  codex: [
    'what is typed into a terminal that is open already (write_stdin) reaches no hook: isolation ' +
      'covers it; permit no shell or interpreter by name',
    'hooks that its user has not trusted are skipped in silence; `pawl init` has them trusted',
  ],
  gemini: ['it calls hooks only in folders that its user trusts'],
  opencode: [
    'started with --pure, or where its plugin can not be loaded, it calls no plugin: isolation ' +
      'covers that, nothing else does',
    '`opencode run` ends when its model stops, finished or not; the run stays open and on record',
  ],
  cursor: ['nothing of it was proved: it can not be started without a person'],
}

/** What a person has to know about a host. */
export function limitsOf(host: HostName): readonly string[] {
  return limits[host]
}
