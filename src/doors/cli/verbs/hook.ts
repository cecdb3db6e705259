/**
 * `pawl hook`: the hook of a host where the static client cannot run.
 */

import { PawlError } from '../../../runtime/pawl-error.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore, usage } from '../options.ts'

const help: VerbHelp = {
  usage: ['hook HOST [WORKSPACE] < PAYLOAD'],
  about: `\
Agent hosts call it; \`pawl init\` writes the settings. It sends the payload of the
hook to the daemon, starts one if none is running, and prints the answer in the
format of the host. Any failure blocks the call: a message on standard error and
exit code 2. PAWL_RUN names the run if the session of the host does not.`,
  examples: ['hook claude "$PWD" < payload.json'],
  exits: { 0: 'answered; the output contains the decision', 2: 'blocked' },
}

export const hookVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files } = readOptions('hook', args, {})
    const [host, workspace = null] = files
    if (host === undefined) throw usage('hook', '`pawl hook` needs the name of a host')
    refuseMore('hook', files, 2)
    if (io.askHook === undefined) {
      throw new PawlError('DAEMON_UNREACHABLE', 'this program has no daemon to ask')
    }
    const { exit, stdout, stderr } = await io.askHook({ host, workspace })
    io.err(stderr)
    io.out(stdout)
    return exit
  },
}
