/** Cline: a plugin, because a denial by one of its hook files ends the session. */
import { clineHost } from '../../../core/hosts/cline.ts'
import type { HostSetup } from '../desired-files.ts'
import { clinePluginText } from './cline-plugin.ts'

const { hooksFile } = clineHost

export const clineSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    { path: hooksFile, mode: 'plain', content: { kind: 'whole', text: clinePluginText(setting) } },
  ],
  remarks: () => [],
  trust: null,
}
