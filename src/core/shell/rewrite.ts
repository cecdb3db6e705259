/**
 * The command as it will really run: with the variables of the stage set in front of it.
 */

/** One `export` in front of the unchanged command; quoted so that values stay values. */
export function withOverrides(command: string, env: Readonly<Record<string, string>>): string {
  const parts: string[] = []
  for (const [name, value] of Object.entries(env)) {
    // A name that is none would be read as something else; checking it is the loader's part.
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) parts.push(`${name}=${quoted(value)}`)
  }
  return parts.length === 0 ? command : `export ${parts.join(' ')}; ${command}`
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''").replaceAll('\0', '')}'`
}
