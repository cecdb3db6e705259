/** The examples of the workflow schema, run by a client that knows nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import type { LooseJson } from './doors.ts'
import { useWorkflows, workflowDoors } from './workflows.ts'

const claim = claimsOf('workflow schema')
const workflows = useWorkflows()

/** An example as it stands in the document. */
function example(name: string): LooseJson {
  const file = join(import.meta.dirname, 'examples', `${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const edit = (file: string, lines: number) => ({
  ...{ file_path: file, old_string: 'x', new_string: 'y\n'.repeat(lines) },
})

for (const door of workflowDoors) {
  claim(
    {
      section: 'Minimal Example',
      quote: '"id": "review", "initial": "reading"',
      check: `the example runs from start to end (${door})`,
    },
    async () => {
      const run = await workflows.open(door, example('workflow-minimal'))
      expect(run.first).toMatchObject({ state: 'reading', status: 'running', events: ['DONE'] })
      expect((await run.call('Grep', { pattern: 'x' })).verdict).toBe('allow')
      expect((await run.call('Write', { file_path: 'a', content: '' })).verdict).toBe('deny')
      expect(await run.send('DONE')).toMatchObject({ state: 'complete', status: 'completed' })
    },
  )
  claim(
    {
      section: 'Complete Reference Example',
      quote: 'A full workflow definition using every feature',
      check: `a client that knows only the document completes the workflow (${door})`,
    },
    async () => {
      const run = await workflows.open(door, example('workflow-complete'))
      expect(run.first.text).toContain('Understand the change.')
      expect((await run.call('Read', { file_path: 'deploy.yaml' })).verdict).toBe('allow')
      expect((await run.call('Bash', { command: 'pytest' })).verdict).toBe('deny')
      // safe_next leads to testing as well.
      expect((await run.send('LETS_GO', { test_result: 'fail' })).state).toBe('testing')
      expect((await run.call('Bash', { command: 'npm test' })).verdict).toBe('allow')
      expect((await run.call('Bash', { command: 'helm upgrade' })).verdict).toBe('deny')
      const leak = await run.call('Bash', { command: 'pytest --db=$PROD_DB_URL' })
      expect(leak.code).toBe('ENV_BLOCKED')
      expect((await run.send('EVALUATE')).state).toBe('fixing')
      expect((await run.call('Edit', edit('a.py', 21))).verdict).toBe('deny')
      for (const file of ['a.py', 'b.py', 'c.py']) await run.made('Edit', edit(file, 3))
      expect((await run.call('Edit', edit('d.py', 3))).verdict).toBe('deny')
      expect((await run.send('DONE', { test_result: 'pass', coverage: 92 })).state).toBe('testing')
      expect((await run.send('EVALUATE')).state).toBe('deploying')
      const { input } = await run.call('Bash', { command: 'kubectl apply -f .' })
      expect(input.command).toContain("KUBECONFIG='/etc/kube/staging.yaml'")
      const asked = await run.send('DONE')
      expect(asked).toMatchObject({ state: 'deploying', status: 'waiting' })
      expect(JSON.stringify(asked.values)).toContain('Approve to mark complete?')
      expect(await run.approve(true)).toMatchObject({ state: 'complete', status: 'completed' })
    },
  )
}

claim(
  {
    section: 'Complete Reference Example',
    quote: '{ "target": "failed" } (the default branch)',
    check: 'without a result, EVALUATE ends the run as failed (stdio)',
  },
  async () => {
    const run = await workflows.open('stdio', example('workflow-complete'))
    await run.send('READY')
    expect(await run.send('EVALUATE')).toMatchObject({ state: 'failed', status: 'failed' })
  },
)

claim(
  {
    section: 'Complete Reference Example',
    quote: '"max_iterations": 10',
    check: 'the eleventh call in planning is denied (rest)',
  },
  async () => {
    const run = await workflows.open('rest', example('workflow-complete'))
    const verdicts: string[] = []
    for (let i = 0; i < 11; i += 1) {
      verdicts.push((await run.call('Read', { file_path: `${i}.py` })).verdict)
    }
    expect(verdicts).toEqual([...new Array(10).fill('allow'), 'deny'])
  },
)

for (const [vars, state, code] of [
  [{ test_result: 'pass' }, 'complete', null],
  [{ test_result: 'fail' }, 'testing', 'GUARD_FAILED'],
  [{}, 'testing', 'GUARD_FAILED'],
] as const) {
  claim(
    {
      section: 'Full Example with Context and Guards',
      quote: '"DEPLOY": { "target": "deploying", "guard": "tests_passed" }',
      check: `with \`${JSON.stringify(vars)}\`, the run ends in ${state} (rest)`,
    },
    async () => {
      const run = await workflows.open('rest', example('workflow-guards'), { vars })
      expect(run.first.context).toEqual({ test_result: null, coverage: 0, ...vars })
      expect((await run.send('DEPLOY')).code).toBe(code)
      if (code === null) await run.send('DONE')
      expect((await run.look()).state).toBe(state)
    },
  )
}

claim(
  {
    section: 'Full Example with Context and Guards',
    quote: '"FAIL": "failed"',
    check: 'FAIL ends the run as failed (http)',
  },
  async () => {
    const run = await workflows.open('http', example('workflow-guards'))
    expect(await run.send('FAIL')).toMatchObject({ state: 'failed', status: 'failed' })
  },
)
