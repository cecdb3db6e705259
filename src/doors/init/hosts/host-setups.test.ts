import { expect, test } from 'vitest'
import { type AgentHostId, agentHostIds, agentHosts, listIn } from '../../../core/hosts/registry.ts'
import { isHeld } from '../../../core/tools/protected-commands.ts'
import type { DesiredFile, SetupContext } from '../desired-files.ts'
import { hostSetups } from './host-setups.ts'

const setting: SetupContext = {
  workspace: '/w',
  userFile: null,
  version: '99.0.0',
  node: '/bin/node',
  program: '/lib/pawl.js',
  home: '/h',
  hookCommand: '/h/bin/pawl-hook x /w || exit 2',
  stopCommand: '/h/bin/pawl-hook x /w || exit 0',
  http: { url: 'http://127.0.0.1:1', token: 't' },
  isThere: () => false,
}

/** What a host may get, whichever of two names for the same file a workspace has. */
function filesOf(host: AgentHostId): readonly DesiredFile[] {
  const { wants } = hostSetups[host]
  const { hooksFile, userHooks } = agentHosts[host]
  const isOfUser = typeof hooksFile !== 'string' && !('none' in userHooks)
  const userFile = isOfUser ? `${userHooks.folder}/${userHooks.file}` : null
  return [
    ...wants(setting),
    ...wants({ ...setting, isThere: () => true }),
    ...(isOfUser ? wants({ ...setting, userFile }) : []),
  ]
}

test.each(agentHostIds)('%s: hooks and servers go where its descriptor says', (host) => {
  const paths = filesOf(host).map(({ path }) => path)
  const { hooksFile, userHooks } = agentHosts[host]
  const place = 'none' in userHooks ? '' : `${userHooks.folder}/${userHooks.file}`
  expect(paths).toContain(typeof hooksFile === 'string' ? hooksFile : place)
  expect(paths).toContain(agentHosts[host].serversFile)
})

test.each(agentHostIds)('%s: neither agents nor jobs can change what is written', (host) => {
  const { readOnlyInWorkspace } = agentHosts[host]
  for (const { path } of filesOf(host)) {
    expect(isHeld(path), path).toBe(true)
    const isCovered = readOnlyInWorkspace.some((one) => `${path}/`.startsWith(`${one}/`))
    expect(isCovered, path).toBe(true)
  }
})

test.each(agentHostIds)('%s: only the file for the token holds it, and it is secret', (host) => {
  for (const file of filesOf(host)) {
    const isForToken = file.path === agentHosts[host].tokenFile
    expect(JSON.stringify(file.content).includes('Bearer t'), file.path).toBe(isForToken)
    expect(file.mode, file.path).toBe(isForToken ? 'secret' : 'plain')
  }
})

test.each(agentHostIds)('%s: every wire it is installed with is one it has', (host) => {
  const { wires } = agentHosts[host]
  expect(hostSetups[host].wireOf(setting)).toBe(wires[0])
  expect(hostSetups[host].wireOf({ ...setting, http: null })).toBe('command')
})

test('claude: a hook that a call waits for can start the daemon', () => {
  const { events, hooksFile } = agentHosts.claude
  const file = filesOf('claude').find(({ path }) => path === hooksFile)
  const entries = file?.content.kind === 'json' ? file.content.entries : []
  for (const event of [...listIn(events.call), ...listIn(events.permission)]) {
    const entry = entries.find(({ path }) => path.join('.') === `hooks.${event}`)
    expect(entry, event).toMatchObject({
      value: { hooks: [{ type: 'command', command: setting.hookCommand, onFailure: 'block' }] },
    })
  }
})

const plugged = ['opencode', 'pi', 'cline'] as const

test.each(plugged)('%s: the plugin sends every event that has a meaning', (host) => {
  const plugin = filesOf(host).find(({ path }) => path === agentHosts[host].hooksFile)
  const events = Object.values(agentHosts[host].events).flatMap((names) => listIn(names))
  for (const event of events) expect(JSON.stringify(plugin?.content), event).toContain(event)
})
