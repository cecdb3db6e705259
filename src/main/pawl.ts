#!/usr/bin/env node
/**
 * The program: checks its Node, runs the command line with real input and output, and exits with
 * its code.
 * Must not import anything that needs a newer Node before the check has run.
 */
import { requireNode } from './node-version.ts'

requireNode()
const { openStdio, tellFault } = await import('./stdio.ts')
// WHY no handler for Ctrl-C: without one the system ends the program, and the shell sees why.
process.on('uncaughtException', (fault) => {
  tellFault(fault)
  process.exit(2)
})
try {
  const { run } = await import('../doors/cli/dispatch-verb.ts')
  const stdio = openStdio()
  await stdio.close(await run(process.argv.slice(2), stdio.io))
} catch (fault) {
  tellFault(fault)
  process.exit(2)
}
