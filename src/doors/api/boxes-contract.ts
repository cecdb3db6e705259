/** Inputs and answers of the operations on sessions in boxes. */
import { z } from 'zod'
import { fileModes } from '../../core/engine/stage-files.ts'
import { agentHostIds } from '../../core/hosts/registry.ts'
import { isolationLevels } from '../../core/machine/isolation-levels.ts'
import { nameSchema } from './wire-schemas.ts'

const wordsMax = 4_000
const word = z.string().max(128 * 1024)
const fileName = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/)
const mode = z.enum(fileModes).describe('how files are open: as the stage of the run says')

export const boxesContract = {
  'boxes.open': {
    input: z.strictObject({
      runId: nameSchema,
      host: z.enum(agentHostIds).nullable().describe('null: a program that asks no hooks'),
      program: z.array(word).min(1).max(wordsMax).describe('the program and its arguments'),
      cwd: z.string().describe('a folder in the workspace of the run'),
      environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), word),
      files: z.record(fileName, word).describe('files for `/run/pawl` of the box, by name'),
      settingsFiles: z
        .array(z.strictObject({ path: z.string().max(4_096), text: word }))
        .max(50)
        .default([])
        .describe('files that guide agents, and the text with which the box shows them'),
      programPaths: z.array(z.string()).max(100).describe('what the program needs in order to run'),
      modelUrl: z.string().nullable().describe('where the model of the host is'),
      connect: z
        .array(z.string().max(300))
        .max(100)
        .default([])
        .describe('other servers that the box may connect to: `HOST` or `HOST:PORT`'),
    }),
    answer: z.object({
      id: z.string(),
      helper: z.string().describe('the program that makes the box'),
      words: z.array(z.string()).describe('what it has to be told over descriptor 3'),
      level: z.enum(isolationLevels),
      mode,
      notes: z.array(z.string()).describe('what is weaker on this machine than it could be'),
    }),
  },
  'boxes.list': {
    input: z.strictObject({}),
    answer: z.object({
      boxes: z.array(
        z.object({
          id: z.string(),
          runId: z.string(),
          host: z.string().nullable(),
          workspace: z.string(),
          startedAt: z.number(),
          mode,
        }),
      ),
    }),
  },
}
