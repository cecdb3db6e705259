import { expect, test } from 'vitest'
import {
  form,
  fullPipeline,
  gateChecklist,
  goto,
  hostile,
  long,
  machine,
  on,
  pipeline,
  route,
  stage,
  trigger,
} from '../../../test/draw/sample-machines.ts'
import { printAscii } from './ascii.ts'
import { printDot } from './dot.ts'
import { cellsOf } from './label-text.ts'
import { printMermaid } from './mermaid.ts'
import { pictureOf } from './picture.ts'

const samples = { pipeline, fullPipeline, gateChecklist, form, hostile }

test('every printer gives the same text for the same picture', () => {
  for (const make of Object.values(samples)) {
    for (const print of [printAscii, printDot, printMermaid]) {
      expect(print(pictureOf(make()))).toBe(print(pictureOf(make())))
    }
  }
})

test('mermaid has one line per node and edge, with dashes for detours', () => {
  const text = printMermaid(pictureOf(fullPipeline()))
  expect(text).toContain('flowchart TD\n')
  expect(text).toContain('  start --> s_planning\n')
  expect(text).toContain('  s_testing -->|"EVALUATE [deploy_ready]"| fork\n')
  expect(text).toContain('  detour_schema_check -.->|"schema_check"| s_checking_schema\n')
  expect(text).toContain('🔒 Deployment finished. Start the smoke test?')
  expect(text).toContain('  s_failed(["✘ failed"])\n')
})

test('mermaid shows hostile text as text', () => {
  const text = printMermaid(pictureOf(hostile()))
  expect(text).not.toContain('<script')
  // Each label is one quoted piece: no quote inside can end it early.
  for (const line of text.split('\n').filter((each) => /^ {2}s_\w+ ?(\(|-->)/u.test(each))) {
    expect(line.split('"')).toHaveLength(3)
  }
  expect(text).not.toMatch(/\|"1\. /u)
  expect(text).toContain('"1#46; list"')
  expect(text).toContain('"#37;#37;#123;init#125;#37;#37;"')
})

test('mermaid does not let names be read as markdown', () => {
  const names = on({ '- x': 'b', 'see https://a.b': 'b', _em_: 'b', a_b: 'b' })
  const text = printMermaid(pictureOf(machine('m', [stage('a', { on: names }), stage('b')])))
  expect(text).toContain('#45; x, see https#58;//a.b, #95;em#95;, a_b')
})

test('dot escapes what html-like labels would read', () => {
  const text = printDot(pictureOf(hostile()))
  expect(text).not.toContain('<script')
  expect(text).toContain('&lt;/text&gt;&lt;script&gt;')
  expect(text.startsWith('digraph machine {\n')).toBe(true)
  expect(text.trimEnd().endsWith('}')).toBe(true)
})

test('dot styles ends, detours and gates', () => {
  const text = printDot(pictureOf(fullPipeline()))
  expect(text).toMatch(/s_complete \[.*peripheries="2"\]/u)
  expect(text).toMatch(/detour_schema_check -> s_checking_schema \[.*style="dashed"/u)
  expect(text).toContain('needs approval: Deployment finished. Start the smoke test?')
})

test('a gate without a message is told once, one with a message has it after the words', () => {
  const gated = (message: string) => {
    const go = { GO: trigger('GO', [route(goto('b'), [], message)]) }
    const stages = [stage('a', { on: go }), stage('b', { final: 'completed' })]
    return pictureOf(machine('m', stages))
  }
  for (const print of [printAscii, printDot]) {
    expect(print(gated('')).match(/needs approval/gu)).toHaveLength(1)
    expect(print(gated('')).replace(/&#160;/gu, '')).not.toContain('agree:')
    expect(print(gated('Go on?'))).toContain('needs approval: Go on?')
  }
  expect(printMermaid(gated(''))).toContain('🔒 needs approval')
})

test('a text picture is never wider than 100 columns', () => {
  for (const make of Object.values(samples)) {
    for (const line of printAscii(pictureOf(make())).split('\n')) {
      expect(cellsOf(line)).toBeLessThanOrEqual(100)
    }
  }
})

test('a text picture draws the boxes of a form with its ways and lanes', () => {
  expect(printAscii(pictureOf(form()))).toBe(formText)
})

test('a text picture names the target of every way that leads elsewhere', () => {
  const text = printAscii(pictureOf(pipeline()))
  expect(text).toContain('├─ EVALUATE [tests_failed] ─▶ fixing ─')
  expect(text).toContain('├─ DONE ─▶ ✔ complete ─')
  expect(text).toContain('needs approval: Deployment finished. Approve')
  expect(text).toContain('[deploy_ready]  test_result = "pass"')
  expect(text.match(/─▶ ✘ failed/gu)).toHaveLength(4)
})

test('a text picture with too many lanes keeps the names and drops the lanes', () => {
  const text = printAscii(pictureOf(long(60)))
  expect(text).toContain('├─ BACK ─▶ stage_7\n')
  expect(text).not.toContain('◀')
})

test('a fork reads branch by branch, and the join after the last of them', () => {
  const text = printAscii(pictureOf(fullPipeline()))
  const at = (word: string): number => text.search(new RegExp(`^. ${word}|━ ${word}`, 'mu'))
  const order = ['testing', 'fork', 'lint_run', 'types_run', 'security_run', 'join', 'deploying']
  const places = order.map(at)
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places.toSorted((a, b) => a - b)).toEqual(places)
})

test('thousands of stages print without trouble', () => {
  const picture = pictureOf(long(3000))
  for (const print of [printAscii, printDot, printMermaid]) {
    expect(print(picture)).toContain('stage_2997')
  }
})

const formText = `book-appointment  (steps · 4 stages)

  ●
  ▼
╭─────────────────────────────────────────────╮
│ COLLECT_NAME                                │◀────────╮
│ Collect the caller's name and date of birth │         │
│ asks    name, dob                           │         │
│ tools   all tools                           │         │
╰─┬───────────────────────────────────────────╯         │
  │                                                     │
  ▼                                                     │
╭─────────────────────────────────────────────╮         │
│ VERIFY_DOB                                  │         │
│ Check the date of birth against the record  │         │
│ asks    matches, note?                      │         │
│ tools   lookup_patient                      │         │
╰─┬───────────────────────────────────────────╯         │
  ├─ [local.tries < \`3\`] ─▶ ↻ itself                    │
  ├─ else ─▶ HAND_OVER ──────────────────────────────╮  │
  │ [inputs.matches == 'yes']                        │  │
  ▼                                                  │  │
╭─────────────────────────────────────────────╮      │  │
│ PICK_SLOT                                   │      │  │
│ Offer free slots and take one               │      │  │
│ asks    slot                                │      │  │
│ tools   list_slots, book_slot               │      │  │
╰─┬───────────────────────────────────────────╯      │  │
  ├─ [inputs.another] ─▶ COLLECT_NAME ───────────────┼──╯
  └─ else ─▶ ✔ completed ─────────────────────────╮  │
                                                  │  │
╭─────────────────────────────────────────────╮   │  │
│ HAND_OVER                                   │◀──┼──╯
│ Hand the call over to a person              │   │
│ tools   all tools                           │   │
╰─┬───────────────────────────────────────────╯   │
  │                                               │
  ▼                                               │
╔═════════════════════════════════════════════╗   │
║ ✔ completed                                 ║◀──╯
╚═════════════════════════════════════════════╝
`
