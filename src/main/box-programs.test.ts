/**
 * Programs that a call starts in a box: on record with the call, and those that the stage denies
 * do not start, whatever starts them.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOurNode, openHouse, until } from './daemon.contract.ts'

const workflow = {
  id: 'programs',
  initial: 'offline',
  states: {
    offline: { programs: { deny: ['id'] }, on: { GO: 'open' } },
    open: { on: { END: 'done' } },
    done: { type: 'final' },
  },
}

/** Asks as Claude Code does before and after a call, and makes it in between. */
const program = `
hook() {
  {
    printf '{"session_id":"s","cwd":"%s","tool_name":"Bash","hook_event_name":"%s",' "$PWD" "$1"
    printf '"tool_use_id":"%s","tool_input":{"command":"%s"},' "$2" "$3"
    echo '"tool_response":{"stdout":""}}'
  } | /run/pawl/bin/pawl-hook claude "$PWD"
}
call() {
  hook PreToolUse "$1" "$2"
  $2 > /dev/null 2>&1
  hook PostToolUse "$1" "$2"
}
call one ./work
call two 'id -u'
echo ASKED
while [ ! -e go ]; do sleep 0.05; done
call three ./work
echo END`

const work = `#!/bin/sh
for i in 1 2 3; do /usr/bin/env true; done
id -u || exit 1
`

test.runIf(isOurNode)(
  'what a call started is on its record, and what its stage denies did not start',
  { timeout: 180_000 },
  async ({ skip }) => {
    const house = openHouse()
    onTestFinished(() => house.close())
    const { workspace } = house
    const path = (name: string): string => join(workspace, name)
    writeFileSync(path('programs.json'), JSON.stringify(workflow))
    writeFileSync(path('work'), work)
    chmodSync(path('work'), 0o755)
    const { runId } = await house.json('start', 'programs.json', '--workspace', workspace)
    const args = ['run', '--run', runId, '--workspace', workspace, '--', 'sh', '-c', program]
    const session = house.start(args)
    const first = await Promise.race([
      until(() => session.said().includes('ASKED'), 'the first calls'),
      session.ended,
    ])
    if (first !== undefined && /has no boxes/.test(first.err)) return skip(first.err)
    // By its text it is denied already.
    expect(session.said()).toContain('`id` may not be started in `offline` [COMMAND_NOT_ALLOWED')
    expect(session.said()).toContain('`id` cannot be started in `offline`')
    expect(await house.cli('signal', 'GO', '--run', runId)).toMatchObject({ code: 0 })
    writeFileSync(path('go'), '')
    await session.ended
    const { out } = await house.cli('log', runId)
    const ran = out.match(/ran .*/g) ?? []
    expect(ran[0]).toMatch(/work, env ×3, true ×3, id \(denied\)/)
    expect(ran[1]).toMatch(/work, env ×3, true ×3, id$/)
    expect(out).toContain('PROGRAM_DENIED')
    expect(out).not.toContain('pawl-hook')
  },
)
