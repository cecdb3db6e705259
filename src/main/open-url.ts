/** Opens a URL in the browser, if there is a desktop. */
import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** Opens it and forgets it; where there is no desktop nothing happens. */
export function openUrl(url: string, env: Environment, platform = process.platform): void {
  const program = openerOf(env, platform)
  if (program === null) return
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' })
  // Whoever has no such program has the printed address.
  child.on('error', () => undefined)
  child.unref()
}

function openerOf(env: Environment, platform: NodeJS.Platform): string | null {
  if (platform === 'darwin') return 'open'
  if (platform === 'win32') return 'explorer.exe'
  const hasDesktop = (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== ''
  return hasDesktop ? 'xdg-open' : null
}
