/**
 * `pawl open`: signs a person in to the page.
 */
import { accesses } from '../../api/access.ts'
import type { Io, Verb } from '../io.ts'
import { oneOf, readOptions, usage } from '../options.ts'
import { connectDaemon } from '../remote/connect.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help = `\
pawl open: open the page of the daemon, signed in

Usage: pawl open [OPTIONS]

Prints a link that signs one browser in, once, within five minutes, and opens it where there is a
desktop. The sign-in lasts a week and survives restarts of the daemon.

Options:
  --role ROLE      what the browser may do: viewer, approver, author or admin (default)
  --print          print the link and open nothing
  --json           one JSON value

Exit codes: 0 the link was printed, 2 no daemon could be reached
`

export const openVerb: Verb = {
  name: 'open',
  summary: 'open the page of the daemon, signed in',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { role: 'text', print: 'flag', json: 'flag' } as const
    const { files, values } = readOptions('open', args, kinds)
    if (files.length > 0) throw usage('open', `\`${files[0]}\` is one too many`)
    const access = oneOf('open', { name: 'role', value: values.role }, accesses) ?? 'admin'
    refuseAgent(io, '`pawl open`')
    const remote = await connectDaemon(io, 'person')
    try {
      const { code, expiresAt } = await remote.signIns.invite({ access })
      const url = `${daemonOf(io).find()?.http ?? ''}/#/sign-in/${code}`
      if (values.json) io.out(`${JSON.stringify({ url, access, expiresAt })}\n`)
      else io.out(`${url}\nsigns one browser in as ${access}, once, within five minutes\n`)
      if (!values.print && !values.json) io.openUrl?.(url)
      return 0
    } finally {
      remote.close()
    }
  },
}
