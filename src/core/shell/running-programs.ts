/**
 * Names of programs that run whatever they are given: shells, interpreters, and programs that
 * start others. A wildcard of a command list never stands for one of them.
 */
import names from './names.json' with { type: 'json' }
import { wrapperNames } from './program-grammar.ts'
import { runners, shells, strangeShells } from './wrappers.ts'

/** In lower case, without a version at the end. */
export const runningNames: ReadonlySet<string> = new Set(
  [
    ...names.interpreters.split(' '),
    ...names.launchers.split(' '),
    ...shells,
    ...strangeShells,
    ...wrapperNames,
    ...runners.map(([name = '']) => name),
  ].map((name) => name.replace(/\d+$/, '')),
)
