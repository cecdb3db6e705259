/** `pawl open`: signs a browser in to the page. */

import { accesses } from '../../api/sign-in-access.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneOf, readOptions, refuseMore } from '../options.ts'
import { connectDaemon } from '../remote/connect.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['open [OPTIONS]'],
  about: `\
Prints a link that signs in one browser, once, within five minutes, and opens it if
there is a desktop. The sign-in lasts a week and survives restarts of the daemon.
Not available to agents.`,
  options: [
    ['--role ROLE', 'what the browser may do: viewer, approver, author or admin (default)'],
    ['--print', 'print the link and open nothing'],
    ['--json', 'print one JSON object and open nothing'],
  ],
  examples: ['open', 'open --role approver --print'],
  exits: { 0: 'the link was printed', 2: 'usage error, or the daemon cannot be reached' },
}

export const openVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { role: 'text', print: 'flag', json: 'flag' } as const
    const { files, values } = readOptions('open', args, kinds)
    refuseMore('open', files, 0)
    const access = oneOf('open', { name: 'role', value: values.role }, accesses) ?? 'admin'
    refuseAgent(io, '`pawl open`')
    const remote = await connectDaemon(io, 'person')
    try {
      const { code, expiresAt } = await remote.signIns.invite({ access })
      const note = daemonOf(io).find()
      const url = `${note?.page ?? note?.http ?? ''}/#/sign-in/${code}`
      if (values.json) io.out(`${JSON.stringify({ url, access, expiresAt })}\n`)
      else io.out(`${url}\nsigns in one browser as ${access}, once, within five minutes\n`)
      if (!values.print && !values.json) io.openUrl?.(url)
      return 0
    } finally {
      remote.close()
    }
  },
}
