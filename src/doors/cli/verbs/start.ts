/**
 * `pawl start`: starts a run of a definition, by its name or from a file.
 */

import { workspaceOf } from '../find-inputs.ts'
import type { VerbHelp } from '../help.ts'
import { startFolder } from '../init/start-folder.ts'
import { printOutcome } from '../remote/print-outcome.ts'
import { readVars } from '../remote/read-values.ts'
import { notAsked, type RemoteVerbSpec, remoteVerb } from '../remote/remote-verb.ts'
import { remarkText } from '../remote/show-event.ts'
import { isFileName, storeDefinition } from '../remote/store-definition.ts'

const help: VerbHelp = {
  usage: ['start NAME|FILE [OPTIONS]'],
  about: `\
NAME is a definition in \`.pawl/definitions/\` of the workspace, or a stored one.
A FILE (with a \`/\` or an extension such as .json or .yaml) is stored under its
own name first, as a new version if that name exists. Open runs keep the version
they started with.`,
  options: [
    ['--var KEY=VALUE', 'a value of the run; repeatable. VALUE is JSON if it parses as JSON'],
    ['--data JSON', 'the values of the run, as one object'],
    ['--title TEXT', 'the title of the run; default: the first prompt, or else the git branch'],
    ['--task ID', 'the task to start, if the definition has several'],
    ['--stage NAME', 'start in this stage'],
    [
      '--observe',
      "judge and record every call, but block none, except changes to Pawl's own files; " +
        '`pawl log --denied` shows what would have been denied',
    ],
    [
      '--workspace DIR',
      'the folder of the agent; default: the nearest folder, from here upwards, in which ' +
        '`pawl init` was run, else the current folder',
    ],
  ],
  examples: [
    'start examples/workflow/tdd-bug-fix.json',
    'start tdd-bug-fix --observe',
    "start tdd-bug-fix --title 'Login bug' --var ticket=42 --workspace .",
  ],
  exits: { 0: 'the run has started', 1: 'rejected, or the definition has errors', 2: notAsked },
}

const kinds = {
  var: 'list',
  data: 'text',
  title: 'text',
  task: 'text',
  stage: 'text',
  observe: 'flag',
  workspace: 'text',
} as const

export const startVerb = remoteVerb({
  name: 'start',
  help,
  kinds,
  names: { min: 1, max: 1, what: 'the name of a definition or a file' },
  run: runStart,
})

async function runStart(request: RemoteVerbSpec<typeof kinds>): Promise<number> {
  const { values, io, remote, files, look } = request
  const [name = ''] = files
  const { workspace, remark } =
    values.workspace === null
      ? await startFolder(io)
      : { workspace: workspaceOf(values.workspace, io.cwd), remark: '' }
  const vars = readVars(values)
  const definition = isFileName(name) ? await storeDefinition(name, request) : name
  if (definition === null) return 1
  const { task, stage, title } = values
  const wish = {
    // By its id: a file of the workspace with the same name is not what was asked for.
    definition: typeof definition === 'string' ? definition : definition.definition.id,
    vars,
    workspace,
    ...(title === null ? {} : { title }),
    ...(task === null ? {} : { task }),
    ...(stage === null ? {} : { stage }),
    ...(values.observe ? { observe: true } : {}),
  }
  const started = await remote.call('runs.start', wish)
  if (remark !== '' && look === 'text') io.err(remarkText(remark, io))
  return printOutcome(request, started)
}
