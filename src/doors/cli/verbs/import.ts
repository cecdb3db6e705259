/**
 * `pawl import`: takes in a run that was exported.
 */
import { resolve } from 'node:path'
import { readText } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { OperationInput } from '../../api/contract.ts'
import { parseJsonValue } from '../play/read-data.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'

const help = `\
pawl import: take in a run that was exported; its log is verified first

Usage: pawl import FILE [OPTIONS]

Options:
${commonHelp}; an agent is refused

Exit codes: 0 it is there, 1 refused: its log was changed, or there is such a run already,
2 it could not be asked
`

export const importVerb = remoteVerb({
  name: 'import',
  summary: 'take in a run that was exported',
  help,
  kinds: {},
  names: { min: 1, max: 1, what: 'a file' },
  run: async (request) => {
    const [name = ''] = request.files
    const copy = parseJsonValue(readText(resolve(request.io.cwd, name), name))
    if (copy === undefined) {
      const hint = 'name a file that `pawl export RUN --out FILE` wrote'
      throw new PawlError('USAGE', `\`${name}\` is no JSON`, { hint })
    }
    // WHY the cast: the daemon checks every field, and says which one is wrong.
    const anchor = await request.remote.call(
      'runs.import',
      copy as unknown as OperationInput<'runs.import'>,
    )
    printResult(request, anchor, () => `${anchor.runId}: ${anchor.seq} records were taken in\n`)
    return 0
  },
})
