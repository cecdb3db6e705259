/** Wires together what a gateway asks of the runtime. */

import {
  checkGatewayCall,
  type GatewayTools,
  offerTools,
  reportGatewayCall,
  warnRun,
} from './gateway-calls.ts'
import { acceptPins, listPins, type PinsContext, seeServer } from './gateway-pins.ts'
import type { Gateway } from './gateway-port.ts'

type GatewayParts = Omit<GatewayTools, 'counted'> & Pick<PinsContext, 'store' | 'clock'>

export function openGateway(options: GatewayParts): Gateway {
  const { store, clock, calls } = options
  const reports = openReports()
  const tools: GatewayTools = { ...options, counted: reports.counted }
  const pins: PinsContext = { store, clock, warn: (whose, text) => warnRun(tools, whose, text) }
  return {
    check: (call, by) => checkGatewayCall(tools, call, by),
    report: (ended, by) => reports.add(ended.runId, reportGatewayCall(tools, ended, by)),
    renew: calls.renew,
    offer: offerTools(tools),
    see: (sight) => seeServer(pins, sight),
    listPins: (workspace) => listPins(store, workspace),
    accept: (acceptance) => acceptPins(pins, acceptance),
  }
}

/** WHY by the daemon: what a gateway sends right behind a report needs no wait over there. */
function openReports() {
  const open = new Map<string, Set<Promise<unknown>>>()
  return {
    add: async <T>(runId: string, report: Promise<T>): Promise<T> => {
      const ofRun = open.get(runId) ?? new Set()
      open.set(runId, ofRun.add(report))
      try {
        return await report
      } finally {
        ofRun.delete(report)
        if (ofRun.size === 0 && open.get(runId) === ofRun) open.delete(runId)
      }
    },
    counted: (runId: string): Promise<unknown> => Promise.allSettled(open.get(runId) ?? []),
  }
}
