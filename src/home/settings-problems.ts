/**
 * Checks the settings of a machine: files that the daemon cannot start with, and missing secrets.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NotifySettings } from '../notify/settings.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { readConfig } from './config.ts'
import type { ProxyConfig } from './config-proxy.ts'
import type { Home } from './home.ts'

/** One line for each; nothing: all can be read. */
export function settingsProblems(home: Home): readonly string[] {
  try {
    const { notify, proxy } = readConfig(home.config)
    return missingSecrets([...notifySecretFiles(notify), ...proxySecretFiles(home, proxy)])
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    return [`the daemon cannot start: ${fault.message}; ${fault.hint}`]
  }
}

/** A line for each file that holds no secret. */
export function missingSecrets(paths: readonly string[]): readonly string[] {
  const isMissing = (path: string): boolean => {
    try {
      return readFileSync(path, 'utf8').trim() === ''
    } catch {
      // Not there, or not ours to read: either way nothing can be done with it.
      return true
    }
  }
  const how = 'write it there, on one line, readable only by you (mode 0600)'
  return paths.filter(isMissing).map((path) => `there is no secret in \`${path}\`: ${how}`)
}

export function notifySecretFiles({ channels }: NotifySettings): readonly string[] {
  return channels.flatMap((channel) => {
    if (channel.type === 'webhook') return channel.secretFile ?? []
    if (channel.type === 'mail') return channel.passwordFile ?? []
    return channel.type === 'ntfy' ? (channel.tokenFile ?? []) : []
  })
}

export function proxySecretFiles({ folder }: Home, proxy: ProxyConfig | null): readonly string[] {
  const { mail, hosts = [] } = proxy ?? {}
  const names = [mail?.keyFile, mail?.smtp?.passwordFile, ...hosts.map((one) => one.secretFile)]
  return names.flatMap((name) => (name === undefined ? [] : join(folder, name)))
}
