/** Handlers of the operations about money. */
import { type PriceTable, priceUsage } from '../../core/prices.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { done, failedAnswer, type Handler, sendIntent } from './handler-context.ts'
import { problem } from './problem.ts'

type CostHandlers = {
  readonly [Name in 'runs.spend' | 'costs.read']: Handler<Name>
}

export const costHandlers: CostHandlers = {
  'runs.spend': async (context, { runId, model, tokens, costMicroUsd, source, branch }) => {
    const isPriced = model !== undefined && tokens !== undefined && costMicroUsd === undefined
    const prices = isPriced ? await pricesOf(context.runtime, runId) : null
    const priced =
      prices === null || !isPriced ? null : priceUsage(prices, { model, ...tokens }).microUsd
    const cost = costMicroUsd ?? priced
    if (cost === null) return failedAnswer(nothingSpent)
    const spend = { source, model: model ?? null, tokens: tokens ?? null, costMicroUsd: cost }
    return sendIntent(context, runId, { kind: 'spend', spend, branch: branch ?? null })
  },
  'costs.read': async ({ runtime }, { runId, since }) =>
    done(await runtime.readCosts({ runId: runId ?? null, since: since ?? 0 })),
}

async function pricesOf({ readHead, pricesIn }: Runtime, runId: string): Promise<PriceTable> {
  return pricesIn((await readHead(runId))?.workspace ?? null)
}

const nothingSpent = problem('REQUEST_INVALID', {
  detail: 'the amount spent is missing',
  hint: 'send `costMicroUsd`, or `model` and `tokens`',
})
