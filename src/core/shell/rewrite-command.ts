/**
 * The command as it will really run: without the variables that the stage blocks, and with those
 * that it sets.
 */

/** What a stage does to the environment of its commands. */
export type Variables = {
  readonly blocked: readonly string[]
  readonly set: Readonly<Record<string, string>>
}

/**
 * One `unset` and one `export` in front of the unchanged command, quoted so that values stay so.
 * WHY `|| exit`: what cannot be removed (a profile has made it readonly) would reach the command.
 */
export function withVariables(command: string, { blocked, set }: Variables): string {
  // Nothing runs; to a session that is only asked for more it would be typed in.
  if (command.trim() === '') return command
  // A name that is none would be read as something else; checking it is the loader's part.
  const removed = [...new Set(blocked)].filter(isName)
  const exported = Object.entries(set)
    .filter(([name]) => isName(name) && !removed.includes(name))
    .map(([name, value]) => `${name}=${quoted(value)}`)
  const removing = removed.length === 0 ? '' : `unset -v ${removed.join(' ')} || exit; `
  const setting = exported.length === 0 ? '' : `export ${exported.join(' ')}; `
  return removing + setting + command
}

function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''").replaceAll('\0', '')}'`
}
