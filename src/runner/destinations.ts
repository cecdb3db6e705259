/**
 * Where jobs may connect: names and ports that a person has listed, and the part of them that one
 * call requests.
 * Knows names and addresses. Must not know connections.
 */
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** One entry: a name, `*.` and a name for everything below it, or an address. */
export type Destination = { readonly host: string; readonly ports: readonly number[] }

/** What a job may connect to: nothing, everything, or these. */
export type Network = 'none' | 'all' | readonly Destination[]

export const portDefault = 443
export const destinationsMax = 200

/** A name with its port as it was asked for; null: nothing that can be read. */
export type ConnectTarget = { readonly host: string; readonly port: number }

const nameForm =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Lower case, without the dot at the end and the brackets of an address; null: no name. */
function readHost(text: string): string | null {
  const bare = text.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0) return isIP(bare) === 6 ? shortened(bare) : bare
  const name = bare.replace(/\.$/, '')
  return name.length <= 253 && nameForm.test(name) ? name : null
}

/** One address has many spellings in version 6; null: none that an address line can hold. */
function shortened(address: string): string | null {
  const url = `http://[${address}]/`
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null
}

/** A host of the configuration: at least two names behind `*.`, or half the world is in it. */
export function readPattern(text: string): string | null {
  if (!text.startsWith('*.')) return readHost(text)
  const below = readHost(text.slice(2))
  return below === null || isIP(below) !== 0 || !below.includes('.') ? null : `*.${below}`
}

/** `host:port`; the port is required unless there is one to fall back to. */
export function readTarget(text: string, portOtherwise: number | null): ConnectTarget | null {
  const found = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text)
  const host = readHost(found?.[1] ?? '')
  const port = found?.[2] === undefined ? portOtherwise : Number(found[2])
  return host === null || port === null || port < 1 || port > 65_535 ? null : { host, port }
}

function covers(pattern: string, host: string): boolean {
  if (pattern === host) return true
  return pattern.startsWith('*.') && isIP(host) === 0 && host.endsWith(pattern.slice(1))
}

/** The entry that allows it; null: none does. */
export function findDestination(
  destinations: readonly Destination[],
  { host, port }: ConnectTarget,
): Destination | null {
  return destinations.find((one) => covers(one.host, host) && one.ports.includes(port)) ?? null
}

/**
 * What a call that names hosts (`host` or `host:port`) may connect to: never more than is
 * allowed. A text: the first that is not.
 */
export function narrow(
  allowed: Exclude<Network, 'none'>,
  wanted: readonly string[],
): readonly Destination[] | string {
  const narrowed: Destination[] = []
  for (const text of wanted) {
    const one = narrowOne(allowed, text)
    if (one === null) return text
    narrowed.push(one)
  }
  return narrowed
}

function narrowOne(allowed: Exclude<Network, 'none'>, text: string): Destination | null {
  const [, name = '', given] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? []
  // WHY brackets count first: an address of version 6 ends like a port.
  const isBare = isIP(text) === 6
  const host = readPattern(isBare ? text : name)
  const port = isBare || given === undefined ? null : Number(given)
  if (host === null) return null
  if (allowed === 'all') return { host, ports: [port ?? portDefault] }
  const ports = allowed.filter((one) => covers(one.host, host)).flatMap((one) => one.ports)
  const left = port === null ? [...new Set(ports)] : ports.includes(port) ? [port] : []
  return left.length === 0 ? null : { host, ports: left }
}

/** Addresses that no name may lead to: this machine, its neighbours, and what tells clouds keys. */
const inside = { ipv4: new BlockList(), ipv6: new BlockList() }
const insideNets = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  // Azure's own door to each of its machines looks like any address.
  '168.63.129.16/32',
  ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]
for (const net of insideNets) {
  const [address = '', bits = ''] = net.split('/')
  // WHY one list each: in one, what is refused of version 6 would stand for all of version 4.
  inside[familyOf(address)].addSubnet(address, Number(bits), familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Whether an address is one that only an entry of its own opens. */
export function isDestinationInside(address: string): boolean {
  // An address with a zone (`%eth0`) is one of a link.
  if (isIP(address) === 0 || address.includes('%')) return true
  const family = familyOf(address)
  if (inside[family].check(address, family)) return true
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some((one) => one.address === address)
}

/** Of a long list the beginning. */
export function destinationsText(list: readonly Destination[]): string {
  const shown = list.slice(0, shownMax).map(destinationText).join(', ')
  return list.length > shownMax ? `${shown} and ${list.length - shownMax} more` : shown
}

const shownMax = 10

export function destinationText({ host, ports }: Destination): string {
  return ports
    .map((port) => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`))
    .join(', ')
}
