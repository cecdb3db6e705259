/** The register in memory. */
import type { RecordStore, RegisterRow, RegisterTip } from '../../runtime/record/ports.ts'
import { nextTip, printEntry, type RegisterEntry } from '../../runtime/record/register.ts'

export type MemoryRegister = {
  readonly note: (entry: RegisterEntry) => void
  readonly calls: Pick<RecordStore, 'readRegister' | 'readRegisterTip' | 'noteInRegister'>
}

export function memoryRegister(): MemoryRegister {
  const lines: RegisterRow[] = []
  const tip = (): RegisterTip | null => lines.at(-1) ?? null
  const noteText = (text: string): RegisterTip => {
    const next = nextTip(tip(), text)
    lines.push({ ...next, text })
    return next
  }
  return {
    note: (entry) => void noteText(printEntry(entry)),
    calls: {
      readRegister: async ({ after, limit }) => lines.slice(after, after + limit),
      readRegisterTip: async () => tip(),
      noteInRegister: async (text) => noteText(text),
    },
  }
}
