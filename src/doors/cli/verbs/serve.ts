/**
 * `pawl serve`: runs the daemon in the foreground.
 */
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { readCount } from '../remote/read-values.ts'

const help: VerbHelp = {
  usage: ['serve [OPTIONS]'],
  about: `\
You rarely need it: every command that needs a daemon starts one in the background.
There is one daemon per data directory (PAWL_HOME, or else the XDG data directory);
docs/operate/daemon.md describes the directory. The daemon listens on a unix socket and on
loopback HTTP. It removes from its environment everything that could be a secret.
Ctrl-C or \`pawl stop\` stops it.`,
  options: [
    ['--port N', 'the HTTP port; default: `port` of config.json, else any free port'],
    ['--json', 'print log lines as JSON, as in daemon.log'],
    ['--sample', 'fill the page with sample runs, in a separate data directory'],
    ['--large', 'with `--sample`: 60 runs, 12 approvals and 20,000 events that stay as they are'],
    ['--quiet', 'print nothing; daemon.log has everything'],
  ],
  examples: ['serve', 'serve --port 4411 --json'],
  exits: { 0: 'stopped', 1: 'crashed', 2: 'failed to start' },
}

const portMax = 65_535

export const serveVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const flags = { json: 'flag', quiet: 'flag', sample: 'flag', large: 'flag' } as const
    const kinds = { port: 'text', ...flags } as const
    const { files, values } = readOptions('serve', args, kinds)
    refuseMore('serve', files, 0)
    if (values.json && values.quiet)
      throw usage('serve', '`--json` and `--quiet` cannot be used together')
    const port = readCount('serve', { name: 'port', value: values.port, max: portMax })
    const voice = values.quiet ? 'quiet' : values.json ? 'json' : 'text'
    if (values.large && !values.sample) throw usage('serve', '`--large` needs `--sample`')
    const sample = values.large ? 'large-sample' : 'sample'
    const shows = values.sample ? sample : 'nothing'
    return daemonOf(io).serve({ port, voice, shows }, io)
  },
}
