/**
 * Puts together what a gateway asks of the runtime.
 */
import type { Gateway } from './gateway.ts'
import { type CallsDesk, checkCall, offerTools, reportCall, warnRun } from './gateway-calls.ts'
import { acceptPins, listPins, seeServer } from './gateway-pins.ts'

export function openGateway(desk: CallsDesk): Gateway {
  const { store, clock } = desk
  const pins = {
    store,
    clock,
    warn: (...args: [Parameters<typeof warnRun>[1], string]) => warnRun(desk, ...args),
  }
  return {
    check: (call, by) => checkCall(desk, call, by),
    report: reportCall(desk),
    offer: offerTools(desk),
    see: (sight) => seeServer(pins, sight),
    listPins: (workspace) => listPins(store, workspace),
    accept: (acceptance) => acceptPins(pins, acceptance),
  }
}
