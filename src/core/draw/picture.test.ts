import { expect, test } from 'vitest'
import {
  compare,
  end,
  expr,
  field,
  form,
  fullPipeline,
  gateChecklist,
  goto,
  hostile,
  machine,
  on,
  pipeline,
  route,
  stage,
  trigger,
} from '../../../test/draw/sample-machines.ts'
import type { Machine, Move } from '../machine/machine.ts'
import { lineText, type Picture, pictureOf } from './picture.ts'

function edgesOf(picture: Picture): string[] {
  return picture.edges.map((edge) => {
    const label = edge.lines.map((line) => lineText(line) + (line.gate ? ` !${line.gate}` : ''))
    return `${edge.from} -${label.join(' / ')}-> ${edge.to} (${edge.kind})`
  })
}

function node(picture: Picture, id: string) {
  const found = picture.nodes.find((each) => each.id === id)
  if (!found) throw new Error(`no node ${id}`)
  return found
}

function factsOf(source: Machine, id: string): string[] {
  return node(pictureOf(source), id).facts.map((fact) => `${fact.key}: ${fact.text}`)
}

test('signals with guards, an else, a fallback and a gate become labelled edges', () => {
  expect(edgesOf(pictureOf(pipeline()))).toEqual([
    's_planning -READY, any other-> s_testing (normal)',
    's_planning -FAIL-> s_failed (normal)',
    's_testing -EVALUATE [deploy_ready]-> s_deploying (normal)',
    's_testing -EVALUATE [tests_failed]-> s_fixing (normal)',
    's_testing -EVALUATE [else]-> s_failed (normal)',
    's_fixing -DONE-> s_testing (normal)',
    's_fixing -FAIL-> s_failed (normal)',
    's_deploying -DONE !Deployment finished. Approve to mark complete?-> s_complete (normal)',
    's_deploying -FAIL-> s_failed (normal)',
  ])
})

test('stages carry their brief, tools, commands, environment and limits', () => {
  expect(factsOf(pipeline(), 's_planning')).toEqual([
    'brief: Understand the change. Read tests and deployment config.',
    'tools: Read, Grep, Glob',
    'limits: ≤ 10 calls · ≤ 50 kB read',
  ])
  expect(factsOf(pipeline(), 's_testing')).toEqual([
    'tools: Read, Bash',
    'runs: pytest, npm test, cargo test',
    'env: hides PROD_DB_URL',
    'limits: ≤ 15 calls',
  ])
  expect(factsOf(pipeline(), 's_fixing')).toContain('limits: ≤ 20 lines/edit · ≤ 3 files')
})

test('a value set in the environment is never shown, only its name', () => {
  expect(factsOf(pipeline(), 's_deploying')).toContain('env: sets KUBECONFIG')
  expect(JSON.stringify(pictureOf(pipeline()))).not.toContain('/etc/kube')
})

test('ends are told apart by outcome and exactly one stage is the initial one', () => {
  const picture = pictureOf(pipeline())
  expect(node(picture, 's_complete')).toMatchObject({ kind: 'final', outcome: 'completed' })
  expect(node(picture, 's_failed')).toMatchObject({ kind: 'final', outcome: 'failed' })
  expect(picture.nodes.filter((each) => each.isInitial).map((each) => each.id)).toEqual([
    's_planning',
  ])
  const bad = picture.edges.filter((edge) => edge.isBad)
  expect(new Set(bad.map((edge) => edge.to))).toEqual(new Set(['s_failed']))
})

test('a fork becomes two bars with a branch between them for each terminal', () => {
  const edges = edgesOf(pictureOf(fullPipeline()))
  expect(edges).toContain('s_testing -EVALUATE [deploy_ready]-> fork (normal)')
  expect(edges).toContain('fork -lint-> s_lint_run (fork)')
  expect(edges).toContain('s_lint_done --> join (join)')
  expect(edges).toContain('join -all branches done-> s_deploying (normal)')
  expect(edges).toContain('join -a branch failed-> s_failed (fail)')
  expect(node(pictureOf(fullPipeline()), 's_lint_done').kind).toBe('branch_end')
})

test('the same fork reached from two stages is drawn once', () => {
  const again: Move = {
    kind: 'fork',
    branches: [{ name: 'a', initial: 'a', terminal: 'a_done', origin: '' }],
    join: 'any',
    onComplete: 'done',
    onFail: null,
    origin: '/elsewhere',
  }
  const picture = pictureOf(
    machine('twice', [
      stage('one', { on: { GO: trigger('GO', [route({ ...again, origin: '/here' })]) } }),
      stage('two', { on: { GO: trigger('GO', [route(again)]) } }),
      stage('a', { on: on({ PASS: 'a_done' }) }),
      stage('a_done', { final: 'completed' }),
      stage('done', { final: 'completed' }),
    ]),
  )
  expect(picture.nodes.filter((each) => each.kind === 'fork')).toHaveLength(1)
  const edges = edgesOf(picture)
  expect(edges).toContain('s_two -GO-> fork (normal)')
  expect(edges).toContain('join -first branch done-> s_done (normal)')
  expect(edges).toContain('join -every branch failed-> end_failed (fail)')
})

test('an invoked machine is a node with a way on and a way for failure', () => {
  const edges = edgesOf(pictureOf(fullPipeline()))
  expect(edges).toContain(
    's_deploying -DONE !Deployment finished. Start the smoke test?-> machine_smoke_test (normal)',
  )
  expect(edges).toContain('machine_smoke_test -completed-> s_complete (normal)')
  expect(edges).toContain('machine_smoke_test -failed-> s_failed (fail)')
})

test('a detour begins at its file pattern, in a handler, and returns to where it began', () => {
  const picture = pictureOf(fullPipeline())
  expect(node(picture, 'detour_schema_check').title).toBe('db/migrations/**/*.sql')
  expect(node(picture, 's_checking_schema').kind).toBe('handler')
  const edges = edgesOf(picture)
  expect(edges).toContain('detour_schema_check -schema_check-> s_checking_schema (detour)')
  expect(edges).toContain('s_checking_schema -VALIDATED-> return_s_checking_schema (return)')
})

test('answers that end the run lead to an end of their own', () => {
  const edges = edgesOf(pictureOf(gateChecklist()))
  expect(edges).toContain('s_env_check -no-> end_blocked (normal)')
  expect(edges).toContain('s_migration_check -yes, n/a-> s_traffic_check (normal)')
})

test('a way with a gate never shares an edge with a way without one', () => {
  const edges = edgesOf(pictureOf(gateChecklist()))
  expect(edges).toContain('s_traffic_check -yes-> end_completed (normal)')
  expect(edges).toContain('s_traffic_check -unsure !Shift traffic anyway?-> end_completed (normal)')
})

test('a form is labelled by its conditions alone and completes where nothing matches', () => {
  expect(edgesOf(pictureOf(form()))).toEqual([
    's_COLLECT_NAME --> s_VERIFY_DOB (normal)',
    "s_VERIFY_DOB -[inputs.matches == 'yes']-> s_PICK_SLOT (normal)",
    's_VERIFY_DOB -[local.tries < `3`]-> s_VERIFY_DOB (normal)',
    's_VERIFY_DOB -else-> s_HAND_OVER (normal)',
    's_PICK_SLOT -[inputs.another]-> s_COLLECT_NAME (normal)',
    's_PICK_SLOT -else-> end_completed (normal)',
    's_HAND_OVER --> end_completed (normal)',
  ])
  expect(factsOf(form(), 's_VERIFY_DOB')).toContain('asks: matches, note?')
})

test('a route after one without guards is not drawn, because it is never taken', () => {
  const shadowed = trigger('GO', [route(goto('b')), route(goto('c'), [expr('x')])])
  const edges = edgesOf(
    pictureOf(machine('m', [stage('a', { on: { GO: shadowed } }), stage('b'), stage('c')])),
  )
  expect(edges).toEqual(['s_a -GO-> s_b (normal)'])
})

test('a lone fallback is its own kind of edge', () => {
  const picture = pictureOf(machine('m', [stage('a', { fallback: 'b' }), stage('b')]))
  expect(edgesOf(picture)).toEqual(['s_a -any other-> s_b (fallback)'])
})

test('no tools, denied tools and tools among a prefix are told apart', () => {
  const source = machine('m', [
    stage('none', { tools: [] }),
    stage('some', { rule: { tools: { allow: 'all', deny: ['Bash'], among: null } } }),
    stage('own', { rule: { tools: { allow: ['memory_search'], deny: [], among: ['memory_'] } } }),
    stage('free'),
  ])
  expect(factsOf(source, 's_none')).toEqual(['tools: no tools'])
  expect(factsOf(source, 's_some')).toEqual(['tools: all tools except Bash'])
  expect(factsOf(source, 's_own')).toEqual(['tools: of memory_* only memory_search'])
  expect(factsOf(source, 's_free')).toEqual(['tools: all tools'])
})

test('tools that every stage shares are said once, for the whole machine', () => {
  const picture = pictureOf(gateChecklist())
  expect(picture.notes.map((note) => note.text)).toEqual([
    'all tools, in every stage',
    'allow bash ≤ 50 calls per hour',
    'ask mcp:filesystem:write_file, mcp:filesystem:delete_file',
  ])
  expect(picture.nodes.flatMap((each) => each.facts).some((f) => f.key === 'tools')).toBe(false)
})

test('named guards are explained once, with whose word they rest on', () => {
  const seen = { ...compare('seen', 'exit', '0'), source: 'observed' as const }
  const go = trigger('GO', [route(goto('b'), [seen, expr('vars.x')], 'Sure?')])
  const again = trigger('AGAIN', [route(end('failed'), [seen])])
  const picture = pictureOf(machine('m', [stage('a', { on: { go, again } }), stage('b')]))
  expect(picture.guards).toEqual([{ name: 'seen', text: 'exit = "0", observed by Pawl' }])
  expect(picture.edges[0]?.lines[0]?.condition).toBe('[seen and vars.x]')
})

test('fields that only one route needs are told on its edge', () => {
  const needy = { ...route(goto('b'), [expr('x')]), requires: ['details'] }
  const submit = trigger('submit', [needy], { fields: [field('details', false)] })
  const picture = pictureOf(machine('m', [stage('a', { on: { submit } }), stage('b')]))
  expect(edgesOf(picture)).toEqual(['s_a -[x] needs details-> s_b (normal)'])
})

test('hostile names give safe, different ids and short titles on one line', () => {
  const picture = pictureOf(hostile())
  const ids = picture.nodes.map((each) => each.id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,60}$/u)
  for (const each of picture.nodes) {
    expect([...each.title].length).toBeLessThanOrEqual(36)
    expect(each.title).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  }
  expect(picture.nodes).toHaveLength(7)
})

test('names that look alike after cleaning still get different ids', () => {
  const picture = pictureOf(
    machine('m', [stage('a b', { on: on({ GO: 'a-b' }) }), stage('a-b'), stage('a_b')]),
  )
  expect(picture.nodes.map((each) => each.id)).toEqual(['s_a_b', 's_a_b_2', 's_a_b_3'])
  expect(edgesOf(picture)).toEqual(['s_a_b -GO-> s_a_b_2 (normal)'])
})

test('the same machine always gives the same picture', () => {
  for (const make of [pipeline, fullPipeline, gateChecklist, form, hostile]) {
    expect(pictureOf(make())).toEqual(pictureOf(make()))
  }
})

test('a picture is plain JSON', () => {
  const picture = pictureOf(fullPipeline())
  expect(JSON.parse(JSON.stringify(picture))).toEqual(picture)
})
