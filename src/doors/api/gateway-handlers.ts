/** Handlers of the operations of the MCP gateway. */
import type { GatewayIdentity } from '../../runtime/gateway/gateway-port.ts'
import type { By, Runtime } from '../../runtime/runtime.ts'
import { mayChangeRun, refuseForeignRun } from './agent-runs.ts'
import type { OperationRequest } from './contract.ts'
import type { HandlerContext } from './handler-context.ts'
import type { Handlers } from './handlers.ts'
import type { ProblemDocument } from './problem.ts'

type GatewayCaller = Pick<
  OperationRequest<'gateway.check'>,
  'workspace' | 'runId' | 'mark' | 'last'
>

function whoseOf({ workspace, runId, mark, last }: GatewayCaller): GatewayIdentity {
  return { workspace, runId: runId ?? null, mark: mark ?? null, last: last ?? null }
}

type GatewayHandlerContext = By &
  Pick<HandlerContext, 'agent' | 'agents' | 'signal'> & {
    readonly runtime: Pick<
      Runtime,
      'gateway' | 'calls' | 'marks' | 'readHead' | 'readRun' | 'sessions'
    >
  }

export const gatewayHandlers: Pick<Handlers, Extract<keyof Handlers, `gateway.${string}`>> = {
  'gateway.check': async (context: GatewayHandlerContext, asked) => {
    const { server, input, holder, estimateMicroUsd, waitMs, ...named } = asked
    const held = estimateMicroUsd === undefined ? {} : { estimateMicroUsd }
    const { signal } = context
    const foreign = await refuseLocated(context, whoseOf(named))
    if (foreign !== null) return { ok: false, problem: foreign }
    const call = { ...whoseOf(named), server, input, holder, waitMs, signal, ...held }
    return done(await context.runtime.gateway.check(call, byOf(context)))
  },
  'gateway.mark': async ({ runtime, agent }, mark) => {
    const isProven = runtime.marks.isProven(mark)
    if (isProven) agent?.addMark(mark)
    return done({ isProven })
  },
  'gateway.report': async (context: GatewayHandlerContext, { branch, ...report }) => {
    const whole = { ...report, branch: branch ?? null }
    await context.runtime.gateway.report(whole, byOf(context))
    return done({ reported: true as const })
  },
  'gateway.renew': async ({ runtime }, call) =>
    done({ renewed: await runtime.gateway.renew(call) }),
  'gateway.offer': async ({ runtime }, { tools, ...named }) =>
    done(await runtime.gateway.offer(whoseOf(named), tools)),
  'gateway.see': async (context: GatewayHandlerContext, sight) => {
    const { scope, server, launch, tools, ...named } = sight
    const whose = whoseOf(named)
    const isSilent = !(await mayRemark(context, whose))
    const seen = { scope, server, launch, tools, whose, isSilent }
    return done(await context.runtime.gateway.see(seen))
  },
  'gateway.pins': async ({ runtime }, { workspace }) =>
    done({ items: await runtime.gateway.listPins(workspace) }),
  'gateway.accept': async ({ runtime }, { tool, ...acceptance }) =>
    done(await runtime.gateway.accept({ ...acceptance, tool: tool ?? null })),
}

/** Why an agent may not have a call judged by the run that judges calls here; null: it may. */
async function refuseLocated(
  { runtime, agent, agents }: GatewayHandlerContext,
  whose: GatewayIdentity,
): Promise<ProblemDocument | null> {
  if (agent === null || agents === null) return null
  const { mark } = whose
  if (mark !== null && runtime.marks.isProven(mark)) agent.addMark(mark)
  const located = await runtime.calls.locate({ ...whose, session: null })
  if (located.kind !== 'run') return null
  return refuseForeignRun({ runtime, agents }, agent, located)
}

/** Whether a gateway may put remarks on the record of the run that judges calls here. */
async function mayRemark(
  { runtime, agent, agents }: GatewayHandlerContext,
  whose: GatewayIdentity,
): Promise<boolean> {
  if (agent === null || agents === null) return true
  const located = await runtime.calls.locate({ ...whose, session: null })
  return located.kind !== 'run' || mayChangeRun({ runtime, agents }, agent, located)
}

function byOf({ actor, commandId }: By): By {
  return { actor, commandId }
}

function done<T>(output: T): { readonly ok: true; readonly output: T } {
  return { ok: true, output }
}
