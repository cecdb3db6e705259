/**
 * A session in a box, as a person starts it: its files follow the stage, a move that cannot close
 * them is refused, a new daemon finds it, and nothing is left of it.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type House, isOurNode, openHouse, until } from './daemon.contract.ts'

const workflow = {
  id: 'stages',
  initial: 'looking',
  states: {
    looking: { allowed_tools: ['Read'], on: { GO: 'writing' } },
    writing: { allowed_tools: ['Edit'], on: { BACK: 'looking', END: 'done' } },
    done: { type: 'final' },
  },
}

/** Says what it can write, and does what it is told by files that are put into the workspace. */
const program = `
while [ ! -e stop ]; do
  if [ -e hold ] && [ ! -e letgo ]; then exec 9>> held.txt; echo HELD; fi
  if [ -e letgo ]; then exec 9>&-; fi
  cd "$PWD"
  if (echo x >> made.txt) 2> /dev/null; then echo WROTE; else echo CLOSED; fi
  if (echo x > .claude/settings.json) 2> /dev/null; then echo GUIDE; fi
  if [ -e "$OUTSIDE/person.token" ]; then echo TOKEN; fi
  sleep 0.05
done
exit 7`

function open(): House {
  const house = openHouse()
  onTestFinished(() => house.close())
  return house
}

test.runIf(isOurNode)(
  'the files of a session follow its run',
  { timeout: 180_000 },
  async ({ skip }) => {
    const house = open()
    const { workspace, folder } = house
    const put = (name: string): void => writeFileSync(join(workspace, name), '')
    writeFileSync(join(workspace, 'stages.json'), JSON.stringify(workflow))
    const { runId } = await house.json('start', 'stages.json', '--workspace', workspace)
    const args = ['run', '--run', runId, '--env', 'OUTSIDE', '--workspace', workspace]
    const session = house.start([...args, '--', 'sh', '-c', program], { env: { OUTSIDE: folder } })
    const first = await Promise.race([
      until(() => session.said().includes('CLOSED'), 'the box to be there'),
      session.ended,
    ])
    if (first !== undefined && /has no boxes/.test(first.err)) return skip(first.err)
    const made = join(workspace, 'made.txt')
    expect(existsSync(made)).toBe(false)

    const signal = (name: string) => house.cli('signal', name, '--run', runId)
    expect(await signal('GO')).toMatchObject({ code: 0 })
    await until(() => existsSync(made), 'the session to write')

    put('hold')
    await until(() => session.said().includes('HELD'), 'the session to hold a file')
    const refused = await signal('BACK')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('FILES_IN_USE')
    expect(refused.err).toContain(join(workspace, 'held.txt'))
    expect((await house.json('state', runId)).head.stage).toBe('writing')

    put('letgo')
    await until(() => !session.said().endsWith('HELD\n'), 'the session to go on')
    await expect.poll(async () => (await signal('BACK')).code).toBe(0)
    const saidBefore = session.said().length
    await until(() => session.said().slice(saidBefore).includes('CLOSED'), 'the files to be closed')

    const daemon = house.note()?.pid ?? 0
    process.kill(daemon, 'SIGKILL')
    expect(await signal('GO')).toMatchObject({ code: 0 })
    const saidThen = session.said().length
    await until(
      () => session.said().slice(saidThen).includes('WROTE'),
      'the new daemon to open them',
    )

    put('stop')
    expect((await session.ended).code).toBe(7)
    expect(session.said()).not.toMatch(/GUIDE|TOKEN/)
    await until(() => readdirSync(join(folder, 'boxes')).length === 0, 'the box to be removed')
    expect(existsSync(join(workspace, '.claude'))).toBe(false)
  },
)
