/**
 * `pawl hook`: the hook of a host where the static client cannot run.
 */

import { PawlError } from '../../../runtime/pawl-error.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore, usage } from '../options.ts'

const help: VerbHelp = {
  usage: ['hook HOST [WORKSPACE] < PAYLOAD', 'hook HOST --user FOLDER < PAYLOAD'],
  about: `\
Agent hosts call it; \`pawl init\` writes the settings. It sends the payload of the
hook to the daemon, starts one if none is running, and prints the answer in the
format of the host. Any failure blocks the call: a message on standard error and
exit code 2. PAWL_RUN names the run if the session of the host does not.

With --user it is the hook of \`pawl init --user\`: it prints nothing if neither
FOLDER nor the payload refers to a folder that Pawl guards.`,
  options: [['--user FOLDER', 'the folder that the host was started in']],
  examples: ['hook claude "$PWD" < payload.json'],
  exits: { 0: 'answered; the output contains the decision', 2: 'blocked' },
}

export const hookVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('hook', args, { user: 'text' })
    const [host, workspace = values.user] = files
    if (host === undefined) throw usage('hook', '`pawl hook` needs the name of a host')
    refuseMore('hook', files, values.user === null ? 2 : 1)
    const scope = values.user === null ? {} : ({ scope: 'user' } as const)
    if (io.askHook === undefined) {
      throw new PawlError('DAEMON_UNREACHABLE', 'this program has no daemon to ask')
    }
    const { exit, stdout, stderr } = await io.askHook({ host, workspace, ...scope })
    io.err(stderr)
    io.out(stdout)
    return exit
  },
}
