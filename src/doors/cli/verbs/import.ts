/**
 * `pawl import`: loads an exported run.
 */

import { resolve } from 'node:path'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationInput } from '../../api/contract.ts'
import type { VerbHelp } from '../help.ts'
import { parseJsonValue } from '../play/read-data.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help: VerbHelp = {
  usage: ['import FILE [OPTIONS]'],
  about: `\
Verifies the log first. Not available to agents.`,
  examples: ['import run.json'],
  exits: { 0: 'imported', 1: 'rejected: the log was changed, or the run exists', 2: notAsked },
}

export const importVerb = remoteVerb({
  name: 'import',
  help,
  kinds: {},
  names: { min: 1, max: 1, what: 'a file' },
  run: async (request) => {
    const [name = ''] = request.files
    const copy = parseJsonValue(readText(resolve(request.io.cwd, name), name))
    if (copy === undefined) {
      const hint = 'name a file that `pawl export RUN --out FILE` wrote'
      throw new PawlError('USAGE', `\`${name}\` is not JSON`, { hint })
    }
    // WHY the cast: the daemon checks every field, and says which one is wrong.
    const anchor = await request.remote.call(
      'runs.import',
      copy as unknown as OperationInput<'runs.import'>,
    )
    printResult(request, anchor, () => `imported ${anchor.runId} (${anchor.seq} records)\n`)
    return 0
  },
})
