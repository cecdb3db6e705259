/**
 * `pawl demo`: a scripted agent works on a sample project under Pawl's rules.
 */
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { readOptions, refuseMore } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { readCount } from '../remote/read-values.ts'

const help: VerbHelp = {
  usage: ['demo [--port N]'],
  about: `\
A scripted agent fixes a bug in a small project. On the way it breaks rules and makes
false claims, as real agents do. When it asks whether to merge, you decide on the page.
It needs no account and no network. Everything is in one folder that the demo prints, with
its own daemon; runs of your repositories are not affected. Ctrl-C stops it.`,
  options: [['--port N', 'the HTTP port; default: any free port']],
  examples: ['demo', 'demo --port 4411'],
  exits: { 0: 'stopped', 1: 'crashed', 2: 'failed to start' },
}

const portMax = 65_535

export const demoVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('demo', args, { port: 'text' } as const)
    refuseMore('demo', files, 0)
    const port = readCount('demo', { name: 'port', value: values.port, max: portMax })
    return daemonOf(io).serve({ port, voice: 'text', shows: 'demo' }, io)
  },
}
