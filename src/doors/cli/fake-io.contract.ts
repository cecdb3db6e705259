/** What tests of the command line share: a folder of files, and an Io that collects the output. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { run } from './dispatch-verb.ts'
import type { Io } from './io.ts'

export type FakeIoResult = { readonly code: number; readonly out: string; readonly err: string }

/** A new folder with these files; it goes away with the test. */
export function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(path, isRaw ? content : JSON.stringify(content, null, 2))
  }
  return folder
}

/** An Io that says nothing, for what only prints. */
export function silentIo(more: Partial<Io> = {}): Io {
  const silent = { out: () => undefined, err: () => undefined, input: Readable.from([]) }
  return { ...silent, hasColour: false, isTerminal: false, columns: 80, cwd: '/', ...more }
}

/** Runs a command line in a folder. */
export async function runIn(
  folder: string,
  args: readonly string[],
  more: Partial<Io> = {},
): Promise<FakeIoResult> {
  let out = ''
  let err = ''
  const io = silentIo({
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    cwd: folder,
    ...more,
  })
  const code = await run(args, io)
  return { code, out, err }
}

/** A workflow without any finding. */
export const goodWorkflow = {
  id: 'small-fix',
  initial: 'reading',
  states: {
    reading: {
      instructions: 'Find the fault.',
      allowed_tools: ['Read', 'Grep'],
      max_iterations: 9,
      on: { FOUND: 'fixing' },
    },
    fixing: {
      instructions: 'Fix it.',
      allowed_tools: ['Read', 'Edit'],
      max_iterations: 20,
      on: { FIXED: { target: 'done', requires_approval: true }, LOST: 'reading' },
    },
    done: { type: 'final' },
  },
}

/** A case of that workflow that passes. */
export const goodCase = {
  id: 'reads-first',
  title: 'the fault is found before it is fixed',
  definition: goodWorkflow,
  steps: [
    { look: true, expect: { stage: 'reading' } },
    { signal: 'FOUND', expect: { stage: 'fixing' } },
  ],
}
