/**
 * `pawl hook`: what a host runs as its hook where the static client can't.
 */
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, usage } from '../options.ts'

const help = `\
pawl hook: answer a hook of an agent's host; for settings that \`pawl init\` writes

Usage: pawl hook HOST [WORKSPACE] < PAYLOAD

Carries what the host gives to its hook to the daemon, which is started when there is none, and
prints the answer in the host's own dialect. Whatever goes wrong is a refusal: words on the standard
error and exit code 2. PAWL_RUN names the run, where the host's session doesn't.

Exit codes: 0 as the printed answer says, 2 blocked
`

export const hookVerb: Verb = {
  name: 'hook',
  summary: "answer a hook of an agent's host",
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files } = readOptions('hook', args, {})
    const [host, workspace = null] = files
    if (host === undefined) throw usage('hook', '`pawl hook` needs the name of a host')
    if (files.length > 2) throw usage('hook', `\`${files[2]}\` is one too many`)
    if (io.askHook === undefined) {
      throw new PawlError('DAEMON_UNREACHABLE', 'there is no daemon to ask here')
    }
    const { exit, stdout, stderr } = await io.askHook({ host, workspace })
    io.err(stderr)
    io.out(stdout)
    return exit
  },
}
