/**
 * How many definitions a property is tried on: few by default, many when `PAWL_FUZZ_RUNS` says so.
 */
const asked = Number(process.env.PAWL_FUZZ_RUNS ?? '')

/** The runs of a test; a long run asks for the same number everywhere. */
export function runs(usual: number): number {
  return Number.isInteger(asked) && asked > 0 ? asked : usual
}

/** What every property test is given; a fixed seed, so that a red run is red again. */
export function settings(usual: number): { numRuns: number; seed: number } {
  return { numRuns: runs(usual), seed: Number(process.env.PAWL_FUZZ_SEED ?? '20260311') }
}

/** Time for one test: a long run may take as long as it needs. */
export const timeoutMs = runs(0) > 0 ? 3_600_000 : 30_000
