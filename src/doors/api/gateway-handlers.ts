/** Handlers of the operations of the MCP gateway. */
import type { Gateway, GatewayIdentity } from '../../runtime/gateway/gateway-port.ts'
import type { By } from '../../runtime/runtime.ts'
import type { OperationRequest } from './contract.ts'
import type { Handlers } from './handlers.ts'

type GatewayCaller = Pick<
  OperationRequest<'gateway.check'>,
  'workspace' | 'runId' | 'mark' | 'last'
>

function whoseOf({ workspace, runId, mark, last }: GatewayCaller): GatewayIdentity {
  return { workspace, runId: runId ?? null, mark: mark ?? null, last: last ?? null }
}

type GatewayHandlerContext = By & {
  readonly runtime: { readonly gateway: Gateway }
  readonly signal: AbortSignal | null
}

export const gatewayHandlers: Pick<Handlers, Extract<keyof Handlers, `gateway.${string}`>> = {
  'gateway.check': async (context: GatewayHandlerContext, asked) => {
    const { server, input, holder, estimateMicroUsd, waitMs, ...named } = asked
    const held = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
    const { signal } = context
    const call = { ...whoseOf(named), server, input, holder, waitMs, signal, ...held }
    return done(await context.runtime.gateway.check(call, byOf(context)))
  },
  'gateway.mark': async ({ runtime }, mark) => done({ isProven: runtime.marks.isProven(mark) }),
  'gateway.report': async (context: GatewayHandlerContext, { branch, ...report }) => {
    const whole = { ...report, branch: branch ?? null }
    await context.runtime.gateway.report(whole, byOf(context))
    return done({ reported: true as const })
  },
  'gateway.renew': async ({ runtime }, call) =>
    done({ renewed: await runtime.gateway.renew(call) }),
  'gateway.offer': async ({ runtime }, { tools, ...named }) =>
    done(await runtime.gateway.offer(whoseOf(named), tools)),
  'gateway.see': async ({ runtime }, { scope, server, launch, tools, ...named }) =>
    done(await runtime.gateway.see({ scope, server, launch, tools, whose: whoseOf(named) })),
  'gateway.pins': async ({ runtime }, { workspace }) =>
    done({ items: await runtime.gateway.listPins(workspace) }),
  'gateway.accept': async ({ runtime }, { tool, ...acceptance }) =>
    done(await runtime.gateway.accept({ ...acceptance, tool: tool ?? null })),
}

function byOf({ actor, commandId }: By): By {
  return { actor, commandId }
}

function done<T>(output: T): { readonly ok: true; readonly output: T } {
  return { ok: true, output }
}
