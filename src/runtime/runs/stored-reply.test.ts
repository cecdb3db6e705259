import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Event, Reply } from '../../core/engine/types.ts'
import { asAgent, check, openBench, startRelease } from '../runtime.contract.ts'
import { inputCharsMax, truncateEvent } from '../truncate.ts'
import { findStoredReply, printReplyRecord } from './stored-reply.ts'

const input = { file_path: '/work/a.ts', lines: [1, 2] }
const allowed = (more: object = {}): Event =>
  ({
    type: 'call.allowed',
    callId: 'r:c7',
    tool: 'Read',
    input,
    edits: [],
    counts: true,
    at: 1,
    meters: [],
    ...more,
  }) as Event
const reply: Extract<Reply, { kind: 'verdict' }> = {
  kind: 'verdict',
  verdict: 'allow',
  code: null,
  reason: '',
  rule: null,
  hint: '',
  instead: [],
  input,
  callId: 'r:c7',
}
const asked = { kind: 'check', tool: 'Read', input, host: 'claude', cwd: null }

/** What is found of a reply whose command has recorded this. */
async function found(said: Reply, question: unknown, last: Event | undefined) {
  const text = printReplyRecord({ seq: 7, reply: said }, question, last === undefined ? [] : [last])
  const record = { seq: 7, commandId: 'c', binds: null, data: JSON.stringify(last) }
  const kept = await findStoredReply(
    {
      findReply: async () => text,
      // WHY the cast: nothing else of a record is looked at.
      readEvents: async (_, { after }) => (after === 6 ? [record as never] : []),
    },
    'r',
    'c',
  )
  return { text, kept }
}

describe('a reply that is kept', () => {
  test('leaves the input of a call to its record', async () => {
    const { text, kept } = await found(reply, asked, allowed())
    expect(JSON.parse(text)).toMatchObject({ seq: 7, reply: { input: null }, inputSeq: 7 })
    expect(kept).toMatchObject({ seq: 7, reply })
  })

  test('of a build before 0.2 is read as it was kept then', async () => {
    const text = '{"seq":7,"besides":{"kind":"check","tool":"Read","host":"claude","cwd":null}}'
    const record = { seq: 7, commandId: 'c', data: JSON.stringify(allowed()) } as never
    const store = { findReply: async () => text, readEvents: async () => [record] }
    const kept = await findStoredReply(store, 'r', 'c')
    expect(kept).toMatchObject({ seq: 7, reply })
    expect([kept?.isFor(asked), kept?.isFor({ ...asked, cwd: '/' })]).toEqual([true, false])
  })

  test('needs no input of its own where nothing of the record is cut', () => {
    const many = { edits: [{ old: 'a', new: null }], isAll: true, note: 'x'.repeat(inputCharsMax) }
    const event = allowed({ input: many })
    expect(truncateEvent(event)).toBe(event)
    const long = { edits: [{ old: 'x'.repeat(inputCharsMax + 1) }] }
    expect(truncateEvent(allowed({ input: long }))).not.toEqual(allowed({ input: long }))
  })

  test.each([
    ['changes the input', { ...reply, input: { file_path: '/work/b.ts' } }, allowed()],
    ['has an input that the record has cut', reply, allowed({ input: { ...input } })],
    ['has no record', reply, undefined],
  ])('is whole where it %s', async (_, said, last) => {
    const { text, kept } = await found(said, asked, last)
    expect(JSON.parse(text).reply).toEqual(said)
    expect(kept?.reply).toEqual(said)
    expect([kept?.isFor(asked), kept?.isFor({ ...asked, cwd: '/' })]).toEqual([true, false])
  })

  test('answers nothing but what was asked, however it is kept', async () => {
    const one = fc.record({
      tool: fc.constantFrom('Read', 'Bash'),
      cwd: fc.constantFrom(null, '/', '"'),
      input: fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue({ maxDepth: 2 }), {
        maxKeys: 3,
      }),
    })
    await fc.assert(
      fc.asyncProperty(one, one, fc.boolean(), async (first, second, isPlain) => {
        const last = allowed({ input: first.input })
        const said = { ...reply, input: first.input as never, hint: isPlain ? '' : 'go on' }
        const { kept } = await found(said, first, last)
        const again = JSON.parse(JSON.stringify(first))
        expect(kept?.isFor(again)).toBe(true)
        expect(kept?.isFor(second)).toBe(JSON.stringify(first) === JSON.stringify(second))
        expect(kept?.isFor({ ...first, more: 1 })).toBe(false)
        expect(JSON.stringify(kept?.reply)).toBe(JSON.stringify(said))
      }),
    )
  })

  test('is nothing without its record: the command is not answered by another one', async () => {
    const text = printReplyRecord({ seq: 7, reply }, asked, [allowed()])
    const other = { seq: 7, commandId: 'd', data: JSON.stringify(allowed()) } as never
    for (const records of [[], [other]]) {
      const store = { findReply: async () => text, readEvents: async () => records }
      await expect(findStoredReply(store, 'r', 'c')).rejects.toMatchObject({
        code: 'STORE_CORRUPT',
      })
    }
  })
})

describe('the same call under the same id', () => {
  const call = (path: string) => check('Read', { file_path: path })
  const by = { ...asAgent, commandId: 'toolu_1' }

  test('gets the same verdict, input and id, also from another program', async () => {
    const { runtime, again } = openBench()
    const runId = await startRelease(runtime)
    const { reply: said, seq } = await runtime.send(runId, call('README.md'), by)
    expect(said).toMatchObject({ verdict: 'allow', input: { file_path: 'README.md' } })
    for (const node of [runtime, again()]) {
      const repeated = await node.send(runId, call('README.md'), by)
      expect(repeated).toMatchObject({ reply: said, seq, isRepeated: true })
    }
  })

  test('is refused where it is another call', async () => {
    const { runtime } = openBench()
    const runId = await startRelease(runtime)
    await runtime.send(runId, call('README.md'), by)
    for (const other of [call('LICENSE'), { ...call('README.md'), cwd: '/' }]) {
      const { reply: said } = await runtime.send(runId, other, by)
      expect(said).toMatchObject({
        verdict: 'deny',
        reason: 'this id was used for another command',
      })
    }
  })

  test('keeps a long input whole, though its record is cut', async () => {
    const { runtime } = openBench()
    const runId = await startRelease(runtime)
    const long = {
      ...call('README.md'),
      input: { file_path: 'a', note: 'x'.repeat(inputCharsMax + 1) },
    }
    const first = await runtime.send(runId, long, by)
    expect(first.reply).toMatchObject({ verdict: 'allow', input: long.input })
    const second = await runtime.send(runId, long, by)
    expect(second).toMatchObject({ reply: first.reply, isRepeated: true })
  })
})
