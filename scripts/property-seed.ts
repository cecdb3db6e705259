/**
 * One seed for the properties of all test files, so that a run is the same on every machine.
 * `PAWL_FUZZ_SEED=7` tries other values.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.PAWL_FUZZ_SEED ?? '20260311') })
