/**
 * `pawl export`: a whole run as a file.
 */
import { resolve } from 'node:path'
import { shownPath } from '../inputs.ts'
import { findRun } from '../remote/find-run.ts'
import { commonHelp, printResult, remoteVerb } from '../remote/remote-verb.ts'
import { writeFile } from '../write-file.ts'

const help = `\
pawl export: write a whole run, with its log and its machines, as another Pawl can take it in

Usage: pawl export RUN [OPTIONS]

Options:
  --out FILE       write it to a file; else it goes to the standard output
${commonHelp}; an agent is refused

Exit codes: 0 written, 1 refused, 2 it could not be asked
`

export const exportVerb = remoteVerb({
  name: 'export',
  summary: 'write a whole run to a file',
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
    printResult(request, { runId: id, seq, hash }, () => `${id}: ${seq} records in ${values.out}\n`)
    return 0
  },
})
