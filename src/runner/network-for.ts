/** What one job may connect to: the configured destinations, less what the call leaves out. */

import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { RunWish } from '../runtime/jobs/jobs-port.ts'
import type { By } from '../runtime/runtime.ts'
import { destinationsMax, type Network, narrow } from './destinations.ts'

type Configured = { readonly network: Network }

/** Only a person may open more than was configured. Faults `PolicyDenied`, `InvalidInput`. */
export function networkFor(
  { network }: Configured,
  wish: RunWish,
  by: By['actor']['kind'],
): Network {
  const { network: wanted = 'allowed', network_hosts: hosts } = wish
  if (wanted === 'none') return 'none'
  if (wanted === 'all' && by !== 'person' && network !== 'all') {
    throw denied('jobs may not connect to everything here')
  }
  const open = wanted === 'all' ? 'all' : network
  if (hosts === undefined) return isEmpty(open) ? 'none' : open
  if (hosts.length > destinationsMax) {
    throw new JobFault('InvalidInput', `\`network_hosts\` has more than ${destinationsMax} entries`)
  }
  const narrowed = narrow(open === 'none' ? [] : open, hosts)
  if (typeof narrowed === 'string') {
    throw denied(`jobs may not connect to \`${narrowed.slice(0, 300)}\` here`)
  }
  return isEmpty(narrowed) ? 'none' : narrowed
}

function isEmpty(network: Network): boolean {
  return network.length === 0
}

function denied(what: string): JobFault {
  return new JobFault('PolicyDenied', what, {
    recovery: [
      { action: 'ask_person', description: 'A person can set `jobs.network` in `config.json`.' },
    ],
  })
}
