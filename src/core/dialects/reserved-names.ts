/**
 * Names an author may not use, because they would mean something else.
 */
import type { Finding } from '../finding.ts'
import { finding, joinPointer } from '../finding.ts'

/** What every object inherits: never a stage, a signal, a branch, a field or an input. */
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype))

/** Whether every object has this name anyway. */
export function isInherited(name: string): boolean {
  return inherited.has(name)
}

/** A finding for each member of a record whose name is reserved. */
export function checkNames(
  names: readonly string[],
  pointer: string,
  reserved: readonly string[],
): Finding[] {
  const findings: Finding[] = []
  for (const name of names) {
    const prefix = reserved.find((one) => name.startsWith(one))
    if (prefix === undefined && !isInherited(name) && name.trim() !== '') continue
    const what =
      prefix === undefined ? 'cannot be used as a name' : `begins with the reserved \`${prefix}\``
    findings.push(
      finding(
        'RESERVED_NAME',
        { pointer: joinPointer(pointer, name), atKey: true },
        {
          message: `\`${name}\` ${what}`,
          hint: 'choose another name',
        },
      ),
    )
  }
  return findings
}
