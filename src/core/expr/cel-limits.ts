/**
 * Keeps CEL inside its limits: every function call and every iteration of a macro is charged.
 * Knows the library's functions and tree. Must not know scopes or JSON.
 */
import {
  type CelEnv,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  isCelList,
  isCelMap,
  isCelUint,
  type parse,
} from '@bufbuild/cel'
import { itemsOf, listOf } from './cel-values.ts'
import {
  charge,
  chargeText,
  checkDepth,
  checkListItems,
  checkTextChars,
  fault,
  type WorkMeter,
} from './meter.ts'
import { compilePattern, matchesPattern, patternCost } from './pattern.ts'

export type CelTree = NonNullable<ReturnType<typeof parse>['expr']>
type Group = NonNullable<ReturnType<CelEnv['funcs']['find']>>

/** What one turn of a macro costs besides the calls in it: its bookkeeping is slow. */
const turnUnits = 8
/** What a call costs: finding the right overload takes a while. */
const callUnits = 4

/** What a look at a clock somewhere in the world costs. */
const zoneUnits = 500

/** The call that is put before every turn of a macro, and the one around what it goes through. */
const turnName = '@pawl_turn'
const rangeName = '@pawl_range'

// WHY: a plan is made once and run often, so its functions cannot hold a meter of their own.
//      Core is synchronous: between `meterRun` and its end nobody else evaluates.
let current: WorkMeter = { left: 0 }

/** Runs a plan with a meter. */
export function meterRun<T>(meter: WorkMeter, run: () => T): T {
  const outer = current
  const linesMax = traces.stackTraceLimit
  current = meter
  traces.stackTraceLimit = 0
  try {
    return run()
  } finally {
    current = outer
    traces.stackTraceLimit = linesMax
  }
}

// WHY: the library makes an error object for every failing part, also for those that `||` forgives;
//      noting where it was made takes a hundred times longer than the part itself.
//      The host has this switch on `Error`; the types of pure core do not know it.
const traces = Error as typeof Error & { stackTraceLimit: number }

const { DOUBLE, INT } = CelScalar

/**
 * Arithmetic of a whole number with a fraction, which CEL does not have.
 * WHY: numbers of JSON are `int` or `double` by their value, not by their field: `price * 1.5`
 *      must not fault on the day when the price is round.
 */
const mixed = (
  [
    ['_+_', (a, b) => a + b],
    ['_-_', (a, b) => a - b],
    ['_*_', (a, b) => a * b],
    ['_/_', (a, b) => a / b],
  ] satisfies [string, (a: number, b: number) => number][]
).flatMap(([name, run]) => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => run(Number(a), b)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => run(a, Number(b))),
])

const library = celEnv({ funcs: mixed })

/** The functions of CEL, every one of them behind the meter. */
export const limitedEnv: CelEnv = guard(library)

/** How a function is found; undefined: there is none of that name. */
export function hasFunction(name: string): boolean {
  return library.funcs.find(name) !== undefined
}

function guard(env: CelEnv): CelEnv {
  const groups = new Map<string, Group>()
  const funcs = Object.create(env.funcs, {
    find: {
      value: (name: string): Group | undefined => {
        const known = groups.get(name) ?? guardGroup(name, env.funcs.find(name))
        if (known !== undefined) groups.set(name, known)
        return known
      },
    },
  })
  return Object.create(env, { funcs: { value: funcs } })
}

function guardGroup(name: string, group: Group | undefined): Group | undefined {
  if (name === turnName) return groupOf(name, (_, args) => turn(args))
  if (name === rangeName) return groupOf(name, (_, args) => range(args))
  if (group === undefined) return undefined
  if (name === '_+_')
    return groupOf(name, (target, args, id) => add(args) ?? group.call(id, target, args))
  if (name === 'matches') return groupOf(name, (target, args) => match(target, args))
  const isDeep = name === '_==_' || name === '_!=_' || name === '@in' || name === '_in_'
  return groupOf(name, (target, args, id) => {
    charge(current, callUnits)
    if (isDeep) chargeComparison(args)
    if (isZoned(name, args)) charge(current, zoneUnits)
    for (const value of target === undefined ? args : [target, ...args]) chargeScalar(value)
    return group.call(id, target, args)
  })
}

function isZoned(name: string, args: readonly CelValue[]): boolean {
  return name.startsWith('get') && args.length > 0
}

type Run = (target: CelValue | undefined, args: CelValue[], id: number) => ReturnType<Group['call']>

function groupOf(name: string, run: Run): Group {
  return {
    name,
    *[Symbol.iterator]() {
      // Nobody lists the overloads of a guarded group: the planner only calls.
    },
    call: (id, target, args) => run(target, args, id),
  }
}

function turn(args: readonly CelValue[]): CelValue {
  charge(current, turnUnits + Number(args[0]))
  return true
}

function range(args: readonly CelValue[]): CelValue {
  const [value = null] = args
  if (isCelList(value) || isCelMap(value)) charge(current, 1 + value.size / 4)
  return value
}

/** Joins two lists flatly, for the library's joined lists get slower with every turn. */
function add(args: readonly CelValue[]): CelValue | undefined {
  charge(current, callUnits)
  const [left = null, right = null] = args
  if (typeof left === 'string' && typeof right === 'string') {
    checkTextChars(left.length + right.length)
    chargeText(current, left.length + right.length)
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    checkTextChars(left.length + right.length)
    chargeText(current, left.length + right.length)
  }
  if (!isCelList(left) || !isCelList(right)) return undefined
  checkListItems(left.size + right.size)
  charge(current, (left.size + right.size) / 32)
  return listOf(itemsOf(left).concat(itemsOf(right)))
}

function match(target: CelValue | undefined, args: readonly CelValue[]): ReturnType<Group['call']> {
  const [text, pattern] = target === undefined ? args : [target, args[0]]
  if (typeof text !== 'string' || typeof pattern !== 'string') return undefined
  const known = compilePattern(pattern)
  if (!known.ok) return fault(`\`matches\`: ${known.reason}`)
  // A new pattern is expensive to read, and an expression can make up new ones. Whether this one
  // is new is not asked: the same expression must cost the same every time.
  const weight = patternCost(pattern)
  charge(current, 100 + weight + (weight * text.length) / 16)
  return matchesPattern(pattern, text)
}

function chargeScalar(value: CelValue): void {
  if (typeof value === 'string' || value instanceof Uint8Array) chargeText(current, value.length)
}

/** Pays for a deep comparison before it happens: shared parts make it exponential. */
function chargeComparison(args: readonly CelValue[]): void {
  const [left = null, right = null] = args
  if (isComposite(left) && isComposite(right)) {
    chargeDeep(left, 0)
    chargeDeep(right, 0)
  } else if (isComposite(right)) {
    charge(current, (isCelList(right) || isCelMap(right) ? right.size : 1) + 1)
  }
}

function isComposite(value: CelValue): boolean {
  return typeof value === 'object' && value !== null && !isCelUint(value)
}

function chargeDeep(value: CelValue, depth: number): void {
  charge(current, 2)
  chargeScalar(value)
  checkDepth(depth)
  if (isCelList(value)) {
    for (const item of itemsOf(value)) chargeDeep(item, depth + 1)
  } else if (isCelMap(value)) {
    for (const [, member] of value) chargeDeep(member, depth + 1)
  }
}

/** Puts the meter into every macro of a tree. Returns how deep the tree is. */
export function meterTree(tree: CelTree): number {
  let deepest = 0
  const open: { node: CelTree; depth: number }[] = [{ node: tree, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    deepest = Math.max(deepest, depth)
    for (const child of celChildren(node)) open.push({ node: child, depth: depth + 1 })
    if (node.exprKind.case !== 'comprehensionExpr') continue
    const macro = node.exprKind.value
    const { loopStep, loopCondition, iterRange } = macro
    if (loopStep === undefined || loopCondition === undefined || iterRange === undefined) continue
    const units = constantOf(node, weightOf(loopStep) + weightOf(loopCondition))
    // WHY: in the condition and not around the step: a call is not made when its argument is an
    //      error, and a macro may go through any number of errors.
    macro.loopCondition = callOf('_&&_', [callOf(turnName, [units]), loopCondition])
    macro.iterRange = callOf(rangeName, [iterRange])
  }
  return deepest
}

/** What nodes cost that are slower than others; a struct may be a message. */
const unitsOf: { readonly [kind: string]: number } = { selectExpr: 3, callExpr: 6, structExpr: 20 }

/**
 * What one turn evaluates; the macros inside pay for their own turns. A node that looks something
 * up may fail, and a failure is far more expensive than a value.
 */
function weightOf(step: CelTree): number {
  let weight = 0
  const open: CelTree[] = [step]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    weight += unitsOf[node.exprKind.case ?? ''] ?? 1
    const macro = node.exprKind.case === 'comprehensionExpr' ? node.exprKind.value : null
    if (macro === null) open.push(...celChildren(node))
    else if (macro.iterRange !== undefined) open.push(macro.iterRange)
  }
  return weight
}

/** The nodes right below a node. */
export function celChildren(node: CelTree): readonly CelTree[] {
  const kind = node.exprKind
  switch (kind.case) {
    case 'callExpr':
      return [...(kind.value.target === undefined ? [] : [kind.value.target]), ...kind.value.args]
    case 'listExpr':
      return kind.value.elements
    case 'selectExpr':
      return present([kind.value.operand])
    case 'structExpr':
      return kind.value.entries.flatMap((entry) =>
        present([entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined, entry.value]),
      )
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value
      return present([iterRange, accuInit, loopCondition, loopStep, result])
    }
    default:
      return []
  }
}

function present(nodes: readonly (CelTree | undefined)[]): readonly CelTree[] {
  return nodes.filter((node) => node !== undefined)
}

// WHY: the planner reads trees as plain data; making them by hand spares a second dependency.
function callOf(name: string, args: readonly CelTree[]): CelTree {
  const [first] = args
  return {
    $typeName: 'cel.expr.Expr',
    id: first?.id ?? 0n,
    exprKind: {
      case: 'callExpr',
      value: { $typeName: 'cel.expr.Expr.Call', function: name, args: [...args] },
    },
  }
}

function constantOf(near: CelTree, value: number): CelTree {
  return {
    $typeName: 'cel.expr.Expr',
    id: near.id,
    exprKind: {
      case: 'constExpr',
      value: {
        $typeName: 'cel.expr.Constant',
        constantKind: { case: 'int64Value', value: BigInt(value) },
      },
    },
  }
}
