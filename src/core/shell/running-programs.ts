/**
 * Names of programs that run whatever they are given: shells, interpreters, and programs that
 * start others. A wildcard of a command list never stands for one of them.
 */
import { runners, shells, strangeShells, wrappers } from './wrappers.ts'

const interpreters =
  'python pypy node nodejs tsx ts-node deno bun ruby perl php lua luajit tclsh wish rscript ' +
  'osascript irb ipython julia ghci jshell groovy scala elixir erl guile racket sqlite psql ' +
  'mysql awk gawk mawk nawk sed gsed make gmake ssh'

/** Can start a program whatever words follow. */
const launchers =
  'find gfind fd fdfind parallel source . eval trap alias exec vi vim nvim ed ex emacs gdb lldb ' +
  'expect screen tmux docker podman nerdctl kubectl entr script rlwrap pawl'

/** In lower case, without a version at the end. */
export const runningNames: ReadonlySet<string> = new Set(
  [
    ...interpreters.split(' '),
    ...launchers.split(' '),
    ...shells,
    ...strangeShells,
    ...wrappers.keys(),
    ...runners.map(([name = '']) => name),
  ].map((name) => name.replace(/\d+$/, '')),
)
