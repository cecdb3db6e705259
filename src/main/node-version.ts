/**
 * Stops on a version of Node that is too old, before anything else is loaded.
 * Must not import anything: it has to work on the very Node that it rejects.
 */

/** The oldest Node that Pawl runs on. */
const nodeMajorMin = 24

/** Why this version of Node will not do and what to do about it; null when it will. */
export function nodeProblem(version: string): string | null {
  const major = Number.parseInt(version.replace(/^v/, ''), 10)
  if (major >= nodeMajorMin) return null
  return (
    `pawl: Node ${nodeMajorMin} or newer is required, this is \`${version}\`; ` +
    'start Pawl with `pawl`, or with `./pawl` in a checkout (both use the Node from npm), ' +
    `or install Node ${nodeMajorMin} from https://nodejs.org`
  )
}

/** Ends the process with one line on stderr when its Node is too old. */
export function requireNode(): void {
  const problem = nodeProblem(process.version)
  if (problem === null) return
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
