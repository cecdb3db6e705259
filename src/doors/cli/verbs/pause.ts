/**
 * `pawl pause`: pauses a run.
 */
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { notAsked, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['pause [RUN] [OPTIONS]'],
  about: `\
A paused run accepts no signals, and every tool call of its agent is denied. A run
that a person paused can be resumed only by a person.`,
  options: [
    ['--release', 'lift the rules of the run while it is paused: the agent can work freely'],
    ['--reason TEXT', 'why, for the log and for people'],
  ],
  examples: ['pause', 'pause --release', 'pause --reason "the staging server is down"'],
  exits: { 0: 'paused', 1: 'rejected', 2: notAsked },
}

export const pauseVerb = remoteVerb({
  name: 'pause',
  help,
  kinds: { release: 'flag', reason: 'text' },
  names: { min: 0, max: 1, what: 'a run' },
  run: async (request) => {
    const runId = await findRun(request.files[0], request)
    const { release, reason } = request.values
    const paused = await request.remote.call('runs.pause', {
      ...{ runId, release, reason: reason ?? '' },
    })
    return printOutcome(request, paused)
  },
})
