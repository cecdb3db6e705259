/** Approvals as they go over the wire: with the title of their run, and what is risky. */
import { asObject, type JsonObject } from '../../core/json.ts'
import { callRisks } from '../../core/tools/call-risks.ts'
import type { ApprovalRow } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OperationAnswer } from './contract.ts'

/** The approvals of some rows, in their order. */
export async function approvalAnswersOf(
  runtime: Runtime,
  rows: readonly ApprovalRow[],
): Promise<OperationAnswer<'approvals.read'>[]> {
  const ids = [...new Set(rows.map((row) => row.runId))]
  const titles = await runtime.titles.of(ids)
  const heads = new Map(
    await Promise.all(ids.map(async (id) => [id, await runtime.readHead(id)] as const)),
  )
  return rows.map((row) => {
    const pending = JSON.parse(row.pending) as JsonObject
    const workspace = heads.get(row.runId)?.workspace ?? null
    const input = row.kind === 'call' ? asObject(pending.input) : null
    const tool = String(pending.tool ?? '')
    const risks = input === null ? [] : [...callRisks({ tool, input }, workspace)]
    return { ...row, runTitle: titles.get(row.runId)?.title ?? null, pending, risks }
  })
}
