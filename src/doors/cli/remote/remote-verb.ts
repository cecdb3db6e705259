/**
 * What verbs that call the daemon have in common: connecting, choosing the token, and reporting
 * problems. Must not know what any verb asks.
 */
import type { Client } from '../../../client/open-client.ts'
import { PawlProblem, type ProblemDocument } from '../../api/problem.ts'
import { plain } from '../ansi.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import {
  type OptionKinds,
  type Options,
  oneOf,
  readOptions,
  refuseMore,
  usage,
} from '../options.ts'
import { connectDaemon } from './connect.ts'
import { detectAgent, peopleHint, refuseAgent } from './detect-agent.ts'

type Kinds = OptionKinds
const common = { json: 'flag', as: 'text', 'token-file': 'text' } as const

/** One command line of such a verb. */
export type RemoteVerbSpec<K extends Kinds = Kinds> = RemoteContext & {
  readonly files: readonly string[]
  readonly values: Options<K>['values']
}

/** The part of a request that every helper needs. */
export type RemoteContext = {
  readonly verb: string
  readonly io: Io
  readonly remote: Client
  readonly look: 'json' | 'text'
}

type Spec<K extends Kinds> = {
  readonly name: string
  readonly help: VerbHelp
  readonly kinds: K
  /** How many arguments may follow the verb, and what they are. */
  readonly names: { readonly min: number; readonly max: number; readonly what: string }
  readonly run: (request: RemoteVerbSpec<K>) => Promise<number>
}

/** The options that all of them have. */
const commonOptions: NonNullable<VerbHelp['options']> = [
  ['--json', 'print the API response as JSON'],
  ['--token-file FILE', "use the token of a person (`pawl people`) instead of the owner's"],
  ['--as ROLE', '`person` (default) or `agent`; inside an agent host the default is `agent`'],
]

/** Exit code 2 of all of them. */
export const notAsked = 'usage error, unknown name or id, or the daemon cannot be reached'

/** A verb that asks a daemon. */
export function remoteVerb<const K extends Kinds>(spec: Spec<K>): Verb {
  const { name, names } = spec
  const run: Verb['run'] = async (args, io) => {
    const { files, values } = readOptions(name, args, { ...spec.kinds, ...common })
    // WHY the casts: the compiler loses the common options among those of the verb.
    const { json, as, 'token-file': tokenFile } = values as Options<typeof common>['values']
    const asked = oneOf(name, { name: 'as', value: as }, ['agent', 'person'])
    if (asked === 'person') refuseAgent(io, '`--as person`')
    if (tokenFile !== null) {
      refuseAgent(io, '`--token-file`')
      if (asked !== null) throw usage(name, '`--as` and `--token-file` cannot be used together')
    }
    const role = asked ?? (detectAgent(io) === null ? 'person' : 'agent')
    if (files.length < names.min) throw usage(name, `\`pawl ${name}\` needs ${names.what}`)
    refuseMore(name, files, names.max)
    const remote = await connectDaemon(io, role, tokenFile)
    const request: RemoteContext = { verb: name, io, remote, look: json ? 'json' : 'text' }
    try {
      return await spec.run({ ...request, files, values: values as Options<K>['values'] })
    } catch (thrown) {
      if (!(thrown instanceof PawlProblem)) throw thrown
      return tellProblem(thrown.problem, request)
    } finally {
      remote.close()
    }
  }
  const options = [...(spec.help.options ?? []), ...commonOptions]
  return { help: { ...spec.help, options }, run }
}

/** Prints an answer: as it came, or in words. */
export function printResult(
  { io, look }: RemoteContext,
  answer: unknown,
  words: () => string,
): void {
  io.out(look === 'json' ? `${JSON.stringify(answer)}\n` : words())
}

/** What the daemon said instead of an answer; gives the exit code. */
function tellProblem(told: ProblemDocument, { io, look }: RemoteContext): number {
  const mark = detectAgent(io)
  const isForPeople = told.code === 'NOT_PERMITTED' && mark !== null
  const problem = isForPeople ? { ...told, hint: peopleHint(mark) } : told
  if (look === 'json') io.out(`${JSON.stringify(problem)}\n`)
  else io.err(problemText(problem))
  return isRefusal(problem) ? 1 : 2
}

/** A problem in words, with every field that is missing or wrong. */
function problemText({ code, detail, hint, issues = [] }: ProblemDocument): string {
  const said = issues.filter((issue) => !detail.includes(issue.message))
  const lines = [
    `pawl: ${code}: ${detail}`,
    ...said.map((issue) => `  · ${issue.field} ${issue.message}`),
    ...(hint === '' ? [] : [`  → ${hint}`]),
  ]
  return `${plain(lines.join('\n'))}\n`
}

/** Whether the answer is no, and not that it could not be asked. */
function isRefusal({ code, status }: ProblemDocument): boolean {
  const isUnfit = code === 'DEFINITION_INVALID' || code === 'LOG_BROKEN'
  return status === 409 || status === 403 || isUnfit
}
