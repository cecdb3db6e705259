/**
 * `pawl serve`: is the daemon, in the foreground.
 */
import type { Io, Verb } from '../io.ts'
import { readOptions, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { readCount } from '../remote/read-values.ts'

const help = `\
pawl serve: be the daemon of a data directory, until Ctrl-C or \`pawl stop\`

Usage: pawl serve [OPTIONS]

Nobody has to: every verb that needs a daemon starts one in the background. There is one daemon per
data directory (PAWL_HOME, else by the XDG rules); docs/operate/daemon.md says what is in there.
It answers on a unix socket and on loopback HTTP, and keeps nothing of its environment that could
be a secret.

Options:
  --port N         port of the HTTP door; else as config.json says, else any free one
  --json           log lines on the standard output as JSON, as in daemon.log
  --sample         with a scripted agent to look at, in a data directory beside the usual one,
                   and the page opened where there is a desktop
  --quiet          nothing on the standard output and standard error; daemon.log has it all

Exit codes: 0 stopped, 1 it fell, 2 it could not start
`

const portMax = 65_535

export const serveVerb: Verb = {
  name: 'serve',
  summary: 'be the daemon, in the foreground',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { port: 'text', json: 'flag', quiet: 'flag', sample: 'flag' } as const
    const { files, values } = readOptions('serve', args, kinds)
    if (files.length > 0) throw usage('serve', `\`${files[0]}\` is one too many`)
    if (values.json && values.quiet) throw usage('serve', 'name `--json` or `--quiet`, not both')
    const port = readCount('serve', { name: 'port', value: values.port, max: portMax })
    const voice = values.quiet ? 'quiet' : values.json ? 'json' : 'text'
    const shows = values.sample ? 'sample' : 'nothing'
    return daemonOf(io).serve({ port, voice, shows }, io)
  },
}
