/**
 * Commands in a box as evidence: a layer that goes with the stage is not the workspace, so what
 * was seen in it shows nothing about the files that Pawl compares.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOurNode, openHouse, until } from './daemon.contract.ts'

const workflowWith = (files: 'scratch' | 'read') => ({
  id: 'verify',
  initial: 'verifying',
  guards: { green: { evidence: 'npm test', exit: 0, fresh: true } },
  states: {
    verifying: { files, on: { SHIP: { target: 'done', guard: 'green' } } },
    done: { type: 'final' },
  },
})

/** Asks as Claude Code does before and after a call, and makes it in between. */
const program = `
hook() {
  {
    printf '{"session_id":"s","cwd":"%s","tool_name":"Bash","hook_event_name":"%s",' "$PWD" "$1"
    printf '"tool_use_id":"one","tool_input":{"command":"npm test"},'
    echo '"tool_response":{"stdout":"","stderr":"","interrupted":false}}'
  } | /run/pawl/bin/pawl-hook claude "$PWD"
}
hook PreToolUse
npm test > /dev/null 2>&1
code=$?
[ $code = 0 ] && hook PostToolUse
echo "ENDED $code"
while :; do sleep 1; done`

test.runIf(isOurNode).each([
  ['scratch', 'cp good.txt app.txt; grep -q good app.txt', false],
  ['read', 'grep -q good good.txt', true],
] as const)(
  'a test run with `files: %s` is evidence only if it saw the files themselves',
  { timeout: 180_000 },
  async (files, script, isEvidence) => {
    const house = openHouse()
    onTestFinished(() => house.close())
    const { workspace } = house
    const put = (name: string, text: string): void => writeFileSync(join(workspace, name), text)
    put('package.json', JSON.stringify({ name: 'app', scripts: { test: script } }))
    put('good.txt', 'good\n')
    put('app.txt', 'bad\n')
    put('verify.json', JSON.stringify(workflowWith(files)))
    execFileSync('git', ['init', '--quiet'], { cwd: workspace })
    const { runId } = await house.json('start', 'verify.json', '--workspace', workspace)
    const args = ['run', '--run', runId, '--workspace', workspace, '--', 'sh', '-c', program]
    const session = house.start(args)
    const first = await Promise.race([
      until(() => session.said().includes('ENDED'), 'the test run'),
      session.ended,
    ])
    if (first !== undefined && /has no boxes/.test(first.err)) return
    expect(session.said()).toContain('ENDED 0')
    expect(readFileSync(join(workspace, 'app.txt'), 'utf8')).toBe('bad\n')
    const signal = await house.cli('signal', 'SHIP', '--run', runId)
    expect(signal.code, signal.err).toBe(isEvidence ? 0 : 1)
    const { head } = await house.json('state', runId)
    expect(head.stage).toBe(isEvidence ? 'done' : 'verifying')
  },
)
