/**
 * `pawl credential`: prints the credential with which an agent can change one run over the API.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['credential [RUN] [OPTIONS]'],
  about: `\
Prints a credential for an agent of your own that uses the HTTP API. It can
read, and change this run and no other. Hosts with Pawl's hooks and MCP server
do not need one.`,
  notes: `\
JSON output is one object: { "credential", "runId" }`,
  examples: ['credential', 'credential r59b29 --json'],
  exits: { 0: 'done', 1: 'rejected', 2: notAsked },
}

export const credentialVerb = remoteVerb({
  name: 'credential',
  help,
  kinds: {},
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const answer = await request.remote.call('credentials.forRun', { runId })
    printResult(request, answer, () => `${answer.credential}\n`)
    return 0
  },
})
