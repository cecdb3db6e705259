/**
 * What tests of mail share: a daemon with the proxy set up, a provider behind it, and runs whose
 * definition says who may be written to.
 */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type Client, openClient } from '../client/open-client.ts'
import { openProvider, type Provider } from '../proxy/mail/provider.contract.ts'
import { type House, openHouse, type Process, until } from './daemon.contract.ts'

export const realKey = 're_the_real_key_that_nobody_sees'

export type Posting = {
  readonly house: House
  readonly provider: Provider
  readonly agent: Client
  readonly person: Client
  /** Of the proxy. */
  readonly url: string
  /** A run with such an `email_config`; gives its id and the key of its agent. */
  readonly begin: (mail: object, more?: object) => Promise<{ runId: string; key: string }>
  /** Kills the daemon and starts another. */
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts all of it; `proxy` is laid over the settings. */
export async function openPosting(proxy: object = {}, house = openHouse()): Promise<Posting> {
  const provider = await openProvider(realKey)
  mkdirSync(house.folder, { mode: 0o700 })
  const file = (name: string) => join(house.folder, name)
  writeFileSync(file('resend.key'), `${realKey}\n`, { mode: 0o600 })
  const mail = { url: provider.url, keyFile: 'resend.key' }
  const hooks = { askWaitSeconds: 0 }
  const shared = { credentials: { sharedAgentToken: true } }
  // The SDK is told of the address once, also when the daemon dies in between.
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  writeFileSync(
    file('config.json'),
    JSON.stringify({ ...shared, hooks, proxy: { port, mail, ...proxy } }),
  )
  let daemon = await serve(house)
  const socket = house.note()?.socket ?? ''
  const token = (role: string) => readFileSync(file(`${role}.token`), 'utf8').trim()
  const agent = openClient({ socket, token: token('agent') })
  const person = openClient({ socket, token: token('person') })
  let count = 0
  return {
    ...{ house, provider, agent, person, url },
    begin: async (email_config, more = {}) => {
      count += 1
      const answers = { yes: { next: null, action: 'complete' } }
      const states = { work: { question: 'Done?', answers } }
      const definition = { name: `mails-${count}`, initial: 'work', states, email_config, ...more }
      await person.call('definitions.create', { definition: definition as never })
      const { runId } = await agent.runs.start({ definition: `mails-${count}` })
      return { runId, key: (await person.call('mail.makeKey', { runId })).key }
    },
    restart: async () => {
      daemon.child.kill('SIGKILL')
      await daemon.ended
      daemon = await serve(house)
    },
    close: async () => {
      agent.close()
      person.close()
      await house.close()
      await provider.close()
    },
  }
}

async function serve(house: House): Promise<Process> {
  const daemon = house.start(['serve'])
  const isUp = () => house.note()?.pid === daemon.pid && house.note()?.http !== null
  await until(isUp, `a daemon: ${daemon.said()}`)
  return daemon
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
