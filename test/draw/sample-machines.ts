/**
 * Machines built by hand for the tests of pictures: one per dialect, one hostile, one large.
 * Only tests may import this.
 */
import type {
  Detour,
  EndOutcome,
  Field,
  Gate,
  Guard,
  Machine,
  Move,
  Route,
  Stage,
  StageRule,
  Trigger,
} from '../../src/core/machine/machine.ts'

const origin = ''

const freeRule: StageRule = {
  tools: { allow: 'all', deny: [], among: null },
  commands: null,
  commandTool: 'Bash',
  envBlocked: [],
  envSet: {},
  callsMax: null,
  editLinesMax: null,
  filesMax: null,
  bytesMax: null,
}

type StageSeed = {
  brief?: string
  final?: EndOutcome
  tools?: readonly string[]
  rule?: Partial<StageRule>
  on?: Record<string, Trigger>
  fallback?: string
  more?: Partial<Stage>
}

export function stage(name: string, seed: StageSeed = {}): Stage {
  const tools = { allow: seed.tools ?? ('all' as const), deny: [], among: null }
  return {
    name,
    origin,
    brief: seed.brief ? [{ text: seed.brief, if: null, isTemplate: false, origin }] : [],
    final: seed.final ?? null,
    rule: { ...freeRule, tools, ...seed.rule },
    signals: Object.assign(Object.create(null), seed.on),
    foldsSignals: false,
    fallback: seed.fallback === undefined ? null : { stage: seed.fallback, except: [], origin },
    enter: [],
    mustCall: false,
    model: null,
    thinking: null,
    ...seed.more,
  }
}

export function machine(
  name: string,
  stages: readonly Stage[],
  more: Partial<Machine> = {},
): Machine {
  return {
    format: 1,
    hash: 'sha256:0',
    name,
    dialect: 'workflow',
    initial: stages[0]?.name ?? '',
    starts: 'auto',
    vars: {},
    start: [],
    stages: Object.assign(Object.create(null), Object.fromEntries(stages.map((s) => [s.name, s]))),
    detours: [],
    prompt: '',
    policy: null,
    paths: { read: [], write: [] },
    mail: null,
    limits: { microUsdMax: null, callsMax: null },
    ownTools: [],
    hasDebug: false,
    holdsAtEnd: false,
    danger: 'moderate',
    meta: {},
    ...more,
  }
}

export function trigger(
  name: string,
  routes: readonly Route[],
  more: Partial<Trigger> = {},
): Trigger {
  return {
    name,
    origin,
    fields: null,
    prepare: [],
    commit: [],
    routes,
    otherwise: 'reject',
    canName: false,
    warning: null,
    ...more,
  }
}

export function goto(stageName: string): Move {
  return { kind: 'goto', stage: stageName, origin }
}

export function end(outcome: EndOutcome): Move {
  return { kind: 'end', outcome, origin }
}

export function route(
  move: Move,
  guards: readonly Guard[] = [],
  gate: string | null = null,
): Route {
  const asked: Gate | null = gate === null ? null : { message: gate, refusal: 'stay', origin }
  return { origin, guards, requires: [], gate: asked, move }
}

export function compare(name: string, field: string, value: string): Guard {
  return { kind: 'compare', name, field, op: 'eq', value, source: null, origin }
}

export function expr(text: string): Guard {
  return { kind: 'expr', expr: { language: 'jmespath', text, origin }, origin }
}

/** Signals that each lead to one stage without a condition. */
export function on(targets: Record<string, string>): Record<string, Trigger> {
  return Object.fromEntries(
    Object.entries(targets).map(([name, to]) => [name, trigger(name, [route(goto(to))])]),
  )
}

export function field(name: string, isRequired = true): Field {
  return {
    name,
    type: 'string',
    title: '',
    description: '',
    isRequired,
    enum: null,
    pattern: null,
    format: null,
    examples: [],
    origin,
  }
}

const fork: Move = {
  kind: 'fork',
  branches: [
    { name: 'lint', initial: 'lint_run', terminal: 'lint_done', origin },
    { name: 'types', initial: 'types_run', terminal: 'types_done', origin },
    { name: 'security', initial: 'security_run', terminal: 'security_done', origin },
  ],
  join: 'all',
  onComplete: 'deploying',
  onFail: 'failed',
  origin,
}

const detour: Detour = {
  name: 'schema_check',
  pattern: 'db/migrations/**/*.sql',
  target: 'checking_schema',
  handler: ['checking_schema'],
  origin,
}

/** The pipeline of the reference, as it stands there. */
export function pipeline(): Machine {
  return machine('deploy-pipeline', pipelineStages('deploying'))
}

/** The same pipeline with a fork, a detour and an invoked machine: every mechanism at once. */
export function fullPipeline(): Machine {
  const [planning, testing, fixing, deploying, ...ends] = pipelineStages('deploying')
  const forked = trigger('EVALUATE', [
    route(fork, [compare('deploy_ready', 'test_result', 'pass')]),
    route(goto('fixing'), [compare('tests_failed', 'test_result', 'fail')]),
    route(goto('failed')),
  ])
  const invoke: Move = {
    kind: 'invoke',
    machine: 'smoke-test',
    input: { url: 'https://staging' },
    onComplete: 'complete',
    onFail: 'failed',
    origin,
  }
  const checks = ['lint', 'types', 'security'].flatMap((name) => [
    stage(`${name}_run`, {
      tools: ['Bash'],
      rule: { commands: [`task ${name}`] },
      on: on({ PASS: `${name}_done`, FAIL: 'failed' }),
    }),
    stage(`${name}_done`, { final: 'completed' }),
  ])
  return machine(
    'deploy-pipeline',
    [
      planning as Stage,
      { ...(testing as Stage), signals: { EVALUATE: forked } },
      fixing as Stage,
      ...checks,
      {
        ...(deploying as Stage),
        signals: {
          DONE: trigger('DONE', [route(invoke, [], 'Deployment finished. Start the smoke test?')]),
          ...on({ FAIL: 'failed' }),
        },
      },
      stage('checking_schema', {
        brief: 'A migration was edited. Run the schema tests before going on.',
        tools: ['Bash', 'Read', 'Edit'],
        rule: { commands: ['task test:schema'] },
        on: {
          VALIDATED: trigger('VALIDATED', [route({ kind: 'return', origin })]),
          ...on({ FAIL: 'failed' }),
        },
      }),
      ...ends,
    ],
    { detours: [detour], limits: { microUsdMax: 5_000_000, callsMax: 200 } },
  )
}

function pipelineStages(ready: string): Stage[] {
  return [
    stage('planning', {
      brief: 'Understand the change. Read tests and deployment config.',
      tools: ['Read', 'Grep', 'Glob'],
      rule: { callsMax: 10, bytesMax: 50_000 },
      fallback: 'testing',
      on: on({ READY: 'testing', FAIL: 'failed' }),
    }),
    stage('testing', {
      tools: ['Read', 'Bash'],
      rule: {
        commands: ['pytest', 'npm test', 'cargo test'],
        envBlocked: ['PROD_DB_URL'],
        callsMax: 15,
      },
      on: {
        EVALUATE: trigger('EVALUATE', [
          route(goto(ready), [compare('deploy_ready', 'test_result', 'pass')]),
          route(goto('fixing'), [compare('tests_failed', 'test_result', 'fail')]),
          route(goto('failed')),
        ]),
      },
    }),
    stage('fixing', {
      brief: 'Fix only the failing tests. Minimal changes.',
      tools: ['Read', 'Edit'],
      rule: { editLinesMax: 20, filesMax: 3 },
      on: on({ DONE: 'testing', FAIL: 'failed' }),
    }),
    stage('deploying', {
      tools: ['Bash'],
      rule: { commands: ['kubectl', 'helm'], envSet: { KUBECONFIG: '/etc/kube/staging.yaml' } },
      on: {
        DONE: trigger('DONE', [
          route(goto('complete'), [], 'Deployment finished. Approve to mark complete?'),
        ]),
        ...on({ FAIL: 'failed' }),
      },
    }),
    stage('complete', { final: 'completed' }),
    stage('failed', { final: 'failed' }),
  ]
}

/** The checklist of the reference: questions, answers, and ends that are no stages. */
export function gateChecklist(): Machine {
  const answer = (name: string, move: Move): Trigger => trigger(name, [route(move)])
  return machine(
    'deploy-gate',
    [
      stage('env-check', {
        brief: 'Is the target environment correct (not accidentally staging → prod)?',
        on: { yes: answer('yes', goto('migration-check')), no: answer('no', end('blocked')) },
      }),
      stage('migration-check', {
        brief: 'Have all database migrations been reviewed and tested?',
        on: {
          yes: answer('yes', goto('traffic-check')),
          'n/a': answer('n/a', goto('traffic-check')),
          no: answer('no', end('blocked')),
        },
      }),
      stage('traffic-check', {
        brief: 'Is it safe to shift traffic now (no peak hours, no active incidents)?',
        on: {
          yes: answer('yes', end('completed')),
          unsure: trigger('unsure', [route(end('completed'), [], 'Shift traffic anyway?')]),
          no: answer('no', end('blocked')),
        },
      }),
    ],
    {
      dialect: 'process',
      policy: {
        role: 'agent',
        allow: [
          { capability: 'bash', rate: { callsMax: 50, windowMs: 3_600_000 }, budget: null, origin },
        ],
        ask: [
          { capability: 'mcp:filesystem:write_file', rate: null, budget: null, origin },
          { capability: 'mcp:filesystem:delete_file', rate: null, budget: null, origin },
        ],
        deny: [],
        otherwise: 'allow',
      },
    },
  )
}

/** A small form: the signal is the submit, conditions choose, a step loops to itself. */
export function form(): Machine {
  const submit = (fields: readonly Field[], routes: readonly Route[]): Record<string, Trigger> => ({
    submit: trigger('submit', routes, { fields, otherwise: 'complete' }),
  })
  return machine(
    'book-appointment',
    [
      stage('COLLECT_NAME', {
        brief: "Collect the caller's name and date of birth",
        on: submit([field('name'), field('dob')], [route(goto('VERIFY_DOB'))]),
      }),
      stage('VERIFY_DOB', {
        brief: 'Check the date of birth against the record',
        tools: ['lookup_patient'],
        on: submit(
          [field('matches'), field('note', false)],
          [
            route(goto('PICK_SLOT'), [expr("inputs.matches == 'yes'")]),
            route(goto('VERIFY_DOB'), [expr('local.tries < `3`')]),
            route(goto('HAND_OVER')),
          ],
        ),
      }),
      stage('PICK_SLOT', {
        brief: 'Offer free slots and take one',
        tools: ['list_slots', 'book_slot'],
        on: submit([field('slot')], [route(goto('COLLECT_NAME'), [expr('inputs.another')])]),
      }),
      stage('HAND_OVER', { brief: 'Hand the call over to a person', on: submit([], []) }),
    ],
    { dialect: 'steps' },
  )
}

/** Names an attacker would choose. */
export function hostile(): Machine {
  const script = '</text><script>alert(1)</script>'
  const quotes = `"'\`]]> --> \\" end; }`
  const lines = 'two\nlines\r\u2028and\u0000a zero \u202Eturned'
  const long = 'L'.repeat(5000)
  const wide = '日本語の段階'
  return machine(`evil ${script} "${lines}"`, [
    stage(script, {
      brief: `${script} ${quotes}`,
      tools: [script, quotes, long],
      on: {
        [script]: trigger(script, [
          route(goto(quotes), [expr(`${script} == '${quotes}'`)], script),
        ]),
        ...on({ end: lines, [lines]: long, 'x-->y': '__proto__' }),
      },
    }),
    stage(quotes, { on: on({ [quotes]: lines, GO: wide }) }),
    stage(lines, { on: on({ '%%{init}%%': long, '1. list': 'end' }) }),
    stage(long, { final: 'failed' }),
    stage(wide, { on: on({ 進む: '__proto__', '<b>': 'end' }) }),
    stage('end', { final: 'completed' }),
    stage('__proto__', { on: on({ done: 'end' }) }),
  ])
}

/** A line of stages with ways back and out, as long as asked. */
export function long(stagesCount: number): Machine {
  const stages: Stage[] = []
  for (let index = 0; index < stagesCount - 2; index += 1) {
    const back = `stage_${Math.max(0, index - (index % 7))}`
    const next = index === stagesCount - 3 ? 'done' : `stage_${index + 1}`
    stages.push(
      stage(`stage_${index}`, {
        brief: `Do part ${index} of the work`,
        tools: ['Read', 'Edit'],
        on: on({ NEXT: next, BACK: back, ...(index % 5 === 0 ? { FAIL: 'failed' } : {}) }),
      }),
    )
  }
  stages.push(stage('done', { final: 'completed' }), stage('failed', { final: 'failed' }))
  return machine(`long-${stagesCount}`, stages)
}
