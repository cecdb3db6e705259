/**
 * `pawl export`: writes a whole run to a file.
 */

import { resolve } from 'node:path'
import { shownPath } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import { findRun } from '../remote/find-run.ts'
import { notAsked, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { writeFile } from '../write-file.ts'

const help: VerbHelp = {
  usage: ['export RUN [OPTIONS]'],
  about: `\
The file contains the log and the compiled definitions of the run. \`pawl import\`
loads it into another data directory. Not available to agents.`,
  options: [['--out FILE', 'write to FILE; default: standard output']],
  examples: ['export r59b29 --out run.json'],
  exits: { 0: 'exported', 1: 'rejected', 2: notAsked },
}

export const exportVerb = remoteVerb({
  name: 'export',
  help,
  kinds: { out: 'text' },
  names: { min: 1, max: 1, what: 'a run' },
  run: async (request) => {
    const { files, values, remote, io } = request
    const runId = await findRun(files[0], request)
    const copy = await remote.call('runs.export', { runId })
    const text = `${JSON.stringify(copy)}\n`
    if (values.out === null) {
      io.out(text)
      return 0
    }
    const path = resolve(io.cwd, values.out)
    writeFile(path, shownPath(path, io.cwd), text)
    const { id, seq, hash } = copy.head
    printResult(
      request,
      { runId: id, seq, hash },
      () => `exported ${id} (${seq} records) to ${values.out}\n`,
    )
    return 0
  },
})
