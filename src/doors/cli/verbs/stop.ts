/**
 * `pawl stop`: ends the daemon.
 */
import type { Io, Verb } from '../io.ts'
import { readOptions, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help = `\
pawl stop: end the daemon when all that was begun is done

Usage: pawl stop [--json]

Runs stay as they are; the next verb that needs a daemon starts one, and it goes on where this one
ended.

Exit codes: 0 no daemon runs (any more), 2 it could not be ended
`

export const stopVerb: Verb = {
  name: 'stop',
  summary: 'end the daemon',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('stop', args, { json: 'flag' })
    if (files.length > 0) throw usage('stop', `\`${files[0]}\` is one too many`)
    refuseAgent(io, '`pawl stop`')
    const stopped = await daemonOf(io).stop()
    if (values.json) io.out(`${JSON.stringify({ stopped: stopped !== null })}\n`)
    else if (stopped === null) io.out('no daemon was running\n')
    else io.out(`the daemon (pid ${stopped.pid}) has ended\n`)
    return 0
  },
}
