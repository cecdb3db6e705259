/**
 * `pawl people`: who has a token of their own.
 */
import { resolve } from 'node:path'
import { plain } from '../ansi.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, usage } from '../options.ts'
import { daemonOf } from '../remote/daemon-door.ts'
import { refuseAgent } from '../remote/detect-agent.ts'

const help = `\
pawl people: give people tokens of their own, so that two approvals are those of two

Usage: pawl people add NAME [--out FILE]   make a token; printed once, or into a file for them only
       pawl people list                    who has one, beside the owner of the data directory
       pawl people remove NAME             it counts no longer, at once

A person shows the token with \`pawl approve ID --token-file FILE\`, or to the HTTP API. Its name is
what \`approvals: {from: [...]}\` of a definition or a policy names.

Options:
  --out FILE       a new file (mode 0600) that gets the token
  --json           { "items": [ { "name", "addedAt" } ] }, or { "name", "token" | "file" }

Exit codes: 0 done, 2 it could not be done
`

const tasks = ['add', 'list', 'remove'] as const

export const peopleVerb: Verb = {
  name: 'people',
  summary: 'give people tokens of their own',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const { files, values } = readOptions('people', args, { json: 'flag', out: 'text' })
    refuseAgent(io, '`pawl people`')
    const [word, name, more] = files
    if (word === undefined) throw usage('people', 'say what to do: add, list or remove')
    const task = oneWord('people', word, tasks)
    if (more !== undefined) throw usage('people', `\`${more}\` is one too many`)
    const people = await daemonOf(io).people()
    const say = (value: object, text: string): void =>
      io.out(values.json ? `${JSON.stringify(value)}\n` : text)
    if (task === 'list') {
      const items = people.list()
      const lines = items.map((one) => plain(`${one.name}\n`)).join('')
      say({ items }, lines === '' ? 'nobody but the owner has a token\n' : lines)
      return 0
    }
    if (name === undefined) throw usage('people', `\`pawl people ${task}\` needs a name`)
    if (task === 'remove') {
      people.remove(name)
      say({ name }, `the token of ${name} counts no longer\n`)
      return 0
    }
    const file = values.out === null ? null : resolve(io.cwd, values.out)
    const token = people.add(name, file)
    if (file === null) say({ name, token }, `${token}\n`)
    else say({ name, file }, `the token of ${name} is in ${file}\n`)
    return 0
  },
}
