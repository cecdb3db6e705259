/**
 * Loads code of the page that is not needed at first. While the daemon is away, the code is asked
 * for again; after an upgrade of the daemon, the page is loaded again with it.
 * WHY proof first: whoever took the port of the daemon could send code of their own.
 */
import { proveDaemon, recheckDaemon } from './api-client.ts'

const retryMs = 1_000
const retriesMax = 600
const reloadedKey = 'pawl.reloaded'
/** A second failure so soon is no upgrade. */
const againMs = 20_000

/** What a module exports. */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      await proveDaemon()
      return await load()
    } catch (thrown) {
      if (retries === retriesMax) throw thrown
      // The file has another name in every version, and the one that this page knows is gone.
      if ((await isDaemonThere()) && reloadOnce()) return new Promise<never>(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

function isDaemonThere(): Promise<boolean> {
  recheckDaemon()
  return proveDaemon().then(
    () => true,
    () => false,
  )
}

function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0)
  if (Date.now() - last < againMs) return false
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  location.reload()
  return true
}
