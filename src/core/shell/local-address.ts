/** Whether all that a command talks to is this machine. Knows arguments. */
import type { ProgramArgument } from './read-arguments.ts'

/** An address of this machine, as far as it begins with one. */
const loopback = /^(?:\w+:\/\/)?(?:localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0)(?:[:/?#]|$)/i

/** Whether all that a command talks to is this machine, or it sends nothing but a question. */
export function talksLocally(args: readonly ProgramArgument[]): boolean {
  const isAsking = args.every(({ kind, start }) => kind !== 'method' || asking.test(start))
  if (isAsking && args.some(({ kind }) => kind === 'asks')) return true
  // They say which machine an address means.
  if (args.some(({ name }) => /^(connect-to|resolve)$/.test(name))) return false
  const addresses = args.filter(({ kind, start }) => {
    return (
      /^(address|elsewhere|receiver)$/.test(kind) ||
      (kind === 'request' && !method.test(start) && !field.test(start))
    )
  })
  return addresses.length > 0 && addresses.every(({ start }) => loopback.test(start))
}

const method = /^[A-Z]+$/
const asking = /^(?:get|head|options|trace)$/i
const field = /^[\w.[\]-]*(?::?=|==|@|:)(?!\/\/)/
