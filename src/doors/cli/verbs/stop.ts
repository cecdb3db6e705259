/**
 * `pawl stop`: stops the daemon.
 */
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['stop [--json]'],
  about: `\
Requests in progress are finished first. Runs keep their state: the next command
that needs a daemon starts one, and it continues where this one stopped. Not
available to agents.`,
  options: [['--json', 'print { "stopped": true }, or false if no daemon was running']],
  examples: ['stop'],
  exits: { 0: 'no daemon is running', 2: 'usage error, or it could not be stopped' },
}

export const stopVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('stop', args, { json: 'flag' })
    refuseMore('stop', files, 0)
    refuseAgent(io, '`pawl stop`')
    const { folder, stop } = daemonOf(io)
    const stopped = await stop()
    if (values.json) io.out(`${JSON.stringify({ stopped: stopped !== null })}\n`)
    else if (stopped === null) io.out(`no daemon was running for ${folder}\n`)
    else io.out(`stopped the daemon of ${folder} (pid ${stopped.pid})\n`)
    return 0
  },
}
