import { expect, test } from 'vitest'
import type { Stage, StageRule } from '../machine/machine.ts'
import { filesOfStage, isSameStageFiles } from './stage-files.ts'

type Tools = Partial<StageRule['tools']>

function stageWith(tools: Tools, more: Partial<StageRule> = {}): Pick<Stage, 'rule'> {
  const rule = {
    tools: { allow: 'all', deny: [], among: null, ...tools },
    ...{ commands: null, commandTool: 'Bash', envBlocked: [], envSet: {}, callsMax: null },
    ...{ editLinesMax: null, filesMax: null, bytesMax: null },
    ...more,
  } as const
  return { rule }
}

const editing = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']

test.each<[string, Pick<Stage, 'rule'>, string]>([
  ['everything is allowed', stageWith({}), 'write'],
  ['edits are allowed', stageWith({ allow: ['Read', 'Edit'] }), 'write'],
  ['edits are allowed by the name of another host', stageWith({ allow: ['write_file'] }), 'write'],
  ['only commands are', stageWith({ allow: ['Read', 'Bash'] }), 'scratch'],
  ['edits are denied, and commands are not', stageWith({ deny: editing }), 'scratch'],
  ['edits are allowed and denied', stageWith({ allow: ['Edit'], deny: ['Edit'] }), 'read'],
  ['neither is', stageWith({ allow: ['Read', 'Grep'] }), 'read'],
  ['nothing is', stageWith({ allow: [] }), 'read'],
  ['the stage says so', stageWith({ allow: ['Bash'] }, { files: 'read' }), 'read'],
  ['the stage says more', stageWith({ allow: ['Bash'] }, { files: 'write' }), 'write'],
])('%s: the files are open as follows', (_, stage, mode) => {
  expect(filesOfStage(stage).mode).toBe(mode)
})

test('folders narrow writing, and nothing else', () => {
  const folders = { writeFolders: ['tests'] }
  expect(filesOfStage(stageWith({}, folders))).toEqual({
    mode: 'write',
    folders: ['tests'],
    programsDenied: [],
  })
  expect(filesOfStage(stageWith({ allow: ['Bash'] }, folders))).toEqual({
    mode: 'scratch',
    folders: [],
    programsDenied: [],
  })
})

test('programs that are denied are a part of how a stage is open', () => {
  const [plain, denying] = [stageWith({}), stageWith({}, { programsDenied: ['ssh'] })]
  expect(filesOfStage(denying).programsDenied).toEqual(['ssh'])
  expect(isSameStageFiles(filesOfStage(plain), filesOfStage(denying))).toBe(false)
  const folders = stageWith({}, { writeFolders: ['ssh'] })
  expect(isSameStageFiles(filesOfStage(folders), filesOfStage(denying))).toBe(false)
})
