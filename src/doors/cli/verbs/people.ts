/**
 * `pawl people`: people with their own tokens.
 */

import { resolve } from 'node:path'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, refuseMore, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help: VerbHelp = {
  usage: ['people add NAME [--out FILE]', 'people list', 'people remove NAME'],
  about: `\
Each person gets a token, so that two approvals come from two different people.
\`add\` prints the token once, or writes it to a file. \`list\` shows everyone who
has a token, except the owner of the data directory. \`remove\` revokes a token
immediately.

A person uses the token with \`pawl approve ID --token-file FILE\`, or in the HTTP
API. \`approvals: {from: [...]}\` in a definition or a policy refers to these names.
Not available to agents.`,
  options: [
    ['--out FILE', 'write the token to a new file (mode 0600)'],
    ['--json', '{ "items": [ { "name", "addedAt" } ] }, or { "name", "token" | "file" }'],
  ],
  examples: ['people add ann --out ann.token', 'people list'],
  exits: { 0: 'done', 2: 'usage error, or the command failed' },
}

const tasks = ['add', 'list', 'remove'] as const

export const peopleVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('people', args, { json: 'flag', out: 'text' })
    refuseAgent(io, '`pawl people`')
    const [word, name] = files
    if (word === undefined) throw usage('people', 'name a subcommand: add, list or remove')
    const task = oneWord('people', word, tasks)
    refuseMore('people', files, 2)
    const people = await daemonOf(io).people()
    const say = (value: object, text: string): void =>
      io.out(values.json ? `${JSON.stringify(value)}\n` : text)
    if (task === 'list') {
      const items = people.list()
      const lines = items.map((one) => plain(`${one.name}\n`)).join('')
      say({ items }, lines === '' ? 'only the owner has a token\n' : lines)
      return 0
    }
    if (name === undefined) throw usage('people', `\`pawl people ${task}\` needs a name`)
    if (task === 'remove') {
      people.remove(name)
      say({ name }, `the token of ${name} is revoked\n`)
      return 0
    }
    const file = values.out === null ? null : resolve(io.cwd, values.out)
    const token = people.add(name, file)
    if (file === null) say({ name, token }, `${token}\n`)
    else say({ name, file }, `the token of ${name} is in ${file}\n`)
    return 0
  },
}
