/**
 * Kimi Code: hooks in the settings of its user, which it reads nowhere else, and an MCP server of
 * the folder.
 */
import { kimiHost } from '../../../core/hosts/kimi.ts'
import { meaningOf } from '../../../core/hosts/registry.ts'
import type { HostSetup, SetupContext } from '../desired-files.ts'
import { commandFor, hookSeconds, serverEntry, tomlText } from './shared-entries.ts'

const { installedEvents, serversFile, serversKey } = kimiHost

export const kimiSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => {
    const { userFile } = setting
    const servers = [serverEntry({ host: 'kimi', serversKey }, setting)]
    return userFile === null
      ? [{ path: serversFile, mode: 'plain', content: { kind: 'json', entries: servers } }]
      : [
          {
            path: userFile,
            mode: 'plain',
            content: { kind: 'tables', name: 'kimi', lines: hookLines(setting) },
          },
        ]
  },
  remarks: ({ userFile }) =>
    userFile === null
      ? ['Kimi Code offers the tools of Pawl only where you trust the folder: start `kimi` there']
      : [],
  trust: null,
}

function hookLines(setting: SetupContext): readonly string[] {
  return installedEvents.flatMap((name) => {
    const command = commandFor({ name, meaning: meaningOf('kimi', name) ?? 'nothing' }, setting)
    return [
      '[[hooks]]',
      `event = ${tomlText(name)}`,
      `command = ${tomlText(command)}`,
      `timeout = ${hookSeconds}`,
    ]
  })
}
