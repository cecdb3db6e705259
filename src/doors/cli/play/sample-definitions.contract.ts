/**
 * What tests of a walk share: definitions of every dialect, and a way to play lines through them.
 */
import { PassThrough, Readable } from 'node:stream'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'
import { playVerb } from '../verbs/play.ts'

export type Played = { readonly code: number; readonly out: string; readonly err: string }

/** Runs `pawl play` with these lines on its input. */
export async function playLines(
  folder: string,
  args: readonly string[],
  lines: readonly string[] = [],
): Promise<Played> {
  return playOn(folder, args, { input: Readable.from([lines.map((one) => `${one}\n`).join('')]) })
}

/** Runs `pawl play` on other inputs and outputs. */
export async function playOn(
  folder: string,
  args: readonly string[],
  more: Partial<Io>,
): Promise<Played> {
  let out = ''
  let err = ''
  const io: Io = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    hasColour: false,
    isTerminal: false,
    columns: 80,
    cwd: folder,
    input: Readable.from([]),
    ...more,
  }
  try {
    return { code: await playVerb.run(args, io), out, err }
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    return { code: 2, out, err: `${err}${fault.message} → ${fault.hint}` }
  }
}

/** A stream of keys that says it is a terminal. */
export function keyboard(): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY: true })
}

export const talk = {
  name: 'release-talk',
  initial: 'notes',
  states: {
    notes: {
      question: 'Are the release notes complete?',
      answers: {
        yes: { next: 'ship' },
        'not sure': { next: 'ship', action: 'notify_human' },
        help: { next: 'ship' },
        ok: { next: 'ship' },
      },
    },
    ship: {
      question: 'Ship now?',
      answers: {
        yes: { next: null, action: 'complete' },
        no: { next: null, action: 'block' },
      },
    },
  },
}

export const fix = {
  id: 'fix',
  initial: 'coding',
  interrupts: { schema: { trigger: { file_pattern: 'db/**/*.sql' }, target: 'schema' } },
  guards: { covered: { field: 'coverage', op: 'gte', value: 80 } },
  states: {
    coding: {
      instructions: 'Write the code.',
      allowed_tools: ['Read', 'Edit', 'Bash'],
      max_iterations: 3,
      on: {
        DATA: 'coding',
        READY: { target: 'review', guard: 'covered' },
        SPLIT: {
          fork: {
            branches: {
              lint: { initial: 'lint_open', terminal: 'lint_ok' },
              unit: { initial: 'unit_open', terminal: 'unit_ok' },
            },
            on_complete: 'review',
          },
        },
      },
    },
    schema: {
      instructions: 'Check the schema.',
      allowed_tools: ['Bash'],
      max_iterations: 9,
      on: { VALID: '$return' },
    },
    lint_open: { allowed_tools: ['Read'], max_iterations: 9, on: { PASS: 'lint_ok' } },
    lint_ok: { type: 'final' },
    unit_open: { allowed_tools: ['Bash'], max_iterations: 9, on: { PASS: 'unit_ok' } },
    unit_ok: { type: 'final' },
    review: {
      allowed_tools: ['Read'],
      max_iterations: 9,
      on: { MERGE: { target: 'done', requires_approval: true } },
    },
    done: { type: 'final' },
  },
}

export const order = {
  type: 'steps',
  version: 'v1alpha',
  id: 'order',
  tool: { name: 'submit_order' },
  steps: [
    {
      id: 'WHO',
      goal: 'Learn who orders.',
      inputs: [
        { name: 'name' },
        { name: 'phone', description: 'with the area code' },
        { name: 'note', required: false },
      ],
      on: { submit: [{ action: 'save' }, { action: 'say', text: 'Thank you!' }] },
      next: ['WHAT'],
    },
    { id: 'WHAT', goal: 'Learn what.', inputs: [{ name: 'count', type: 'integer' }] },
  ],
}

/** All of them, as files of a folder. */
export const sampleFiles = { 'fix.json': fix, 'talk.json': talk, 'order.json': order }
