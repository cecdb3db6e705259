/**
 * CEL: parses an expression once, evaluates it on variables, and reports what it reads.
 * Knows the library and its guard. Must not know Pawl's scopes by name.
 */
import { type CelInput, type CelValue, isCelError, parse, plan } from '@bufbuild/cel'
import { emptyRecord, type JsonObject, own } from '../json.ts'
import { newCache } from './bounded-cache.ts'
import { type CelTree, limitedEnv, meterRun, meterTree } from './cel-limits.ts'
import { celProblem, celReads, isTypeName } from './cel-referenced-variables.ts'
import { celTypeMismatches } from './cel-type-mismatches.ts'
import { fromCel, toCel } from './cel-values.ts'
import { depthProblem, type Misfit } from './expression-depth.ts'
import type { Evaluated } from './expression-types.ts'
import type { KnowPath, TypeMismatch } from './jmespath-type-mismatches.ts'
import { libraryErrorReason } from './library-error.ts'
import { compiledMax, newMeter, settleMeter, treeDepthMax, type WorkMeter } from './meter.ts'

type Variables = Record<string, CelInput>
type Compiled =
  | {
      readonly ok: true
      readonly reads: readonly string[][]
      /** The names that a variable is looked up for; also those of types, which it may hide. */
      readonly names: ReadonlySet<string>
      /** Why a definition should not use it, although it can be run. */
      readonly problem: string | null
      readonly run: (variables: Variables) => CelValue | { readonly message: string }
    }
  | ({ readonly ok: false } & Misfit)

type ParsedCel =
  | { readonly ok: true; readonly reads: readonly string[][]; readonly bareLiterals: readonly [] }
  | ({ readonly ok: false } & Misfit)

const compiled = newCache<Compiled>(compiledMax, compileText)

/** The value of an expression with the members of an object as variables; faults are values. */
export function evaluateCel(text: string, variables: JsonObject): Evaluated {
  const meter = newMeter()
  const bound = (name: string): CelValue | undefined => {
    const value = own(variables, name)
    return value === undefined ? undefined : toCel(value, meter)
  }
  return runCel(text, bound, meter)
}

/** What in an expression can never work, by what is known about the paths that it reads. */
export function doubtCel(text: string, know: KnowPath): readonly TypeMismatch[] {
  if (!compiled.get(text).ok) return []
  // WHY again: the tree that runs is metered, and no longer what its author wrote.
  const tree = parse(text).expr
  return tree === undefined ? [] : celTypeMismatches(tree, know)
}

/** Like `evaluateCel`, for variables that are CEL values already; for the conformance tests. */
export function runCel(
  text: string,
  bound: (name: string) => CelValue | undefined,
  meter: WorkMeter,
): Evaluated {
  try {
    const result = celResultOf(text, bound, meter)
    if (!result.ok) return result
    const place = { meter, write: writeTime, depth: 0 }
    return { ok: true, value: settleMeter(meterRun(meter, () => fromCel(result.value, place))) }
  } catch (problem) {
    return { ok: false, reason: libraryErrorReason(problem) }
  }
}

/** The result before it is made JSON; may throw when the meter runs out. */
export function celResultOf(
  text: string,
  bound: (name: string) => CelValue | undefined,
  meter: WorkMeter,
):
  | { readonly ok: true; readonly value: CelValue }
  | { readonly ok: false; readonly reason: string } {
  const known = compiled.get(text)
  if (!known.ok) return { ok: false, reason: known.reason }
  // Only what the text names is bound: no other variable costs anything or can hide a name.
  const variables = emptyRecord<CelInput>()
  for (const name of known.names) {
    const value = bound(name)
    if (value !== undefined) variables[name] = value
  }
  const value = meterRun(meter, () => known.run(variables))
  if (!isCelError(value)) return { ok: true, value: value as CelValue }
  return { ok: false, reason: faultOf(value.message, known.reads, variables) }
}

/** What an expression reads, or why and where it cannot be read itself. */
export function parseCel(text: string): ParsedCel {
  const known = compiled.get(text)
  if (!known.ok) return known
  if (known.problem !== null) return { ok: false, reason: known.problem, offset: 0 }
  return { ok: true, reads: known.reads, bareLiterals: [] }
}

function faultOf(message: string, reads: readonly string[][], variables: Variables): string {
  const unbound = reads.find(([name]) => name !== undefined && !Object.hasOwn(variables, name))
  if (message === 'unresolved attribute' && unbound !== undefined) {
    return `\`${unbound.join('.')}\` has no value`
  }
  return message
}

function compileText(text: string): Compiled {
  const misfit = depthProblem(text)
  if (misfit !== null) return { ok: false, ...misfit }
  try {
    const tree = parse(text).expr
    if (tree === undefined)
      return { ok: false, reason: 'syntax: the expression is empty', offset: 0 }
    return compileTree(tree)
  } catch (problem) {
    return { ok: false, ...placed(libraryErrorReason(problem), text) }
  }
}

function compileTree(tree: CelTree): Compiled {
  const problem = celProblem(tree)
  const paths = celReads(tree)
  const names = new Set(paths.map(([name = '']) => name))
  const reads = paths.filter((path) => !isTypeName(path))
  if (meterTree(tree) > treeDepthMax) {
    return {
      ok: false,
      reason: `the expression is nested more than ${treeDepthMax} levels deep`,
      offset: 0,
    }
  }
  return { ok: true, reads, names, problem, run: plan(limitedEnv, tree) }
}

/** The library's words name a line and a column; a finding wants an offset. */
function placed(message: string, text: string): Misfit {
  const parts = /^(?:syntax error: )?<input>:(\d+):(\d+): (.*)$/s.exec(message)
  if (parts === null) return { reason: message, offset: 0 }
  const lines = text.split('\n').slice(0, Number(parts[1]) - 1)
  const before = lines.reduce((sum, line) => sum + line.length + 1, 0)
  const offset = Math.min(before + Number(parts[2]) - 1, text.length)
  return { reason: `syntax: ${parts[3]}`, offset }
}

const written = compileText('string(value)')

/** A time or a duration as the language's own `string()` writes it. */
function writeTime(value: CelValue): string | null {
  const text = written.ok ? written.run({ value }) : null
  return typeof text === 'string' ? text : null
}
