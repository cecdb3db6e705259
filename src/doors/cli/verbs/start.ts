/**
 * `pawl start`: begins a run of a definition, by its name or out of a file.
 */
import { startFolder } from '../init/start-folder.ts'
import { workspaceOf } from '../inputs.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readObject, readPairs } from '../remote/read-values.ts'
import { commonHelp, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { remarkText } from '../remote/show-event.ts'
import { isFileName, storeDefinition } from '../remote/store-definition.ts'

const help = `\
pawl start: begin a run

Usage: pawl start NAME|FILE [OPTIONS]

NAME is a definition in \`.pawl/definitions/\` of the workspace, or one that was stored. A FILE
(with a \`/\` or an ending such as .json or .yaml) is stored under its own name first, as a new
version where there is one already; runs in flight keep the version they began with.

Options:
  --var KEY=VALUE  a value of the run; may be given several times. VALUE is JSON where it can be
  --data JSON      the same as one object
  --task ID        which task, where the definition has several
  --stage NAME     begin in this stage
  --workspace DIR  where the agent works; else the nearest folder, from here upwards, where
                   \`pawl init\` was run, else the current one
${commonHelp}

Exit codes: 0 it runs, 1 it was refused or the definition has errors, 2 it could not be asked
`

const kinds = {
  var: 'list',
  data: 'text',
  task: 'text',
  stage: 'text',
  workspace: 'text',
} as const

export const startVerb = remoteVerb({
  name: 'start',
  summary: 'begin a run of a definition',
  help,
  kinds,
  names: { min: 1, max: 1, what: 'the name of a definition, or a file' },
  run: runStart,
})

async function runStart(request: RemoteVerbSpec<typeof kinds>): Promise<number> {
  const { values, io, remote, files, look } = request
  const [name = ''] = files
  const { workspace, remark } =
    values.workspace === null
      ? await startFolder(io)
      : { workspace: workspaceOf(values.workspace, io.cwd), remark: '' }
  const vars = { ...readObject('--data', values.data), ...readPairs('--var', values.var) }
  const definition = isFileName(name) ? await storeDefinition(name, request) : name
  if (definition === null) return 1
  const { task, stage } = values
  const started = await remote.call('runs.start', {
    // By its id: a file of the workspace with the same name is not what was asked for.
    definition: typeof definition === 'string' ? definition : definition.definition.id,
    vars,
    workspace,
    ...(task === null ? {} : { task }),
    ...(stage === null ? {} : { stage }),
  })
  if (remark !== '' && look === 'text') io.err(remarkText(remark, io))
  return printOutcome(request, started)
}
