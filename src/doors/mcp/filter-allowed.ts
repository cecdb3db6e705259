/** Hides tools that a policy of the run would deny now. */
import type { JsonObject } from '../../core/json.ts'
import type { OperationInput } from '../api/contract.ts'
import type { ReconnectingClient } from './reconnecting-client.ts'

type ToolInput = { readonly name: string; readonly input: JsonObject }

/** WHY only policies: what else is denied is denied for what a call holds, or for a while. */
export async function filterAllowed<One extends ToolInput>(
  { ask }: Pick<ReconnectingClient, 'ask'>,
  whose: Pick<OperationInput<'judge'>, 'runId' | 'host'>,
  tools: readonly One[],
): Promise<readonly One[]> {
  const verdicts = await Promise.all(
    tools.map(({ name: tool, input }) => ask('judge', { ...whose, tool, input })),
  )
  return tools.filter((_, index) => verdicts[index]?.code !== 'POLICY_DENIED')
}
