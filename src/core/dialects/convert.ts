/**
 * From a machine of any dialect to a definition in another one, with what would be lost.
 * Beside the compilers, the one place that knows all three printers.
 */
import { assertNever } from '../assert.ts'
import type { JsonObject } from '../json.ts'
import type { DialectName, Machine } from '../machine/machine.ts'
import { sourceOf } from '../source/source.ts'
import { detectDialect } from './detect-dialect.ts'
import type { Loss, PrinterOutput } from './printer-output.ts'
import { printProcess } from './process/print.ts'
import { printSteps } from './steps/print.ts'
import { printWorkflow } from './workflow/print.ts'

export type { Loss, PrinterOutput } from './printer-output.ts'

/** The machine written in a dialect. In its own dialect this is a clean copy. */
export function convertMachine(machine: Machine, to: DialectName): PrinterOutput {
  const { definition, losses } = printAs(machine, to)
  return { definition: withDialect(definition, to), losses: unique(losses) }
}

function printAs(machine: Machine, to: DialectName): PrinterOutput {
  switch (to) {
    case 'process':
      return printProcess(machine)
    case 'workflow':
      return printWorkflow(machine)
    case 'steps':
      return printSteps(machine)
    default:
      return assertNever(to)
  }
}

/** Names the dialect where the document could be taken for another one. */
function withDialect(definition: JsonObject, to: DialectName): JsonObject {
  const { dialect } = detectDialect(sourceOf(definition))
  return dialect === to ? definition : { dialect: to, ...definition }
}

function unique(losses: readonly Loss[]): readonly Loss[] {
  const seen = new Set<string>()
  return losses.filter((loss) => {
    const key = JSON.stringify([loss.pointer, loss.what, loss.effect])
    return !seen.has(key) && seen.add(key)
  })
}
