/** Detects what a file contains, so that each verb accepts only its own kinds. */
import { detectDialect } from '../../core/dialects/detect-dialect.ts'
import { member, type Node } from '../../core/source/source.ts'

type DocumentKind = 'definition' | 'policy' | 'prices' | 'cases' | 'other'

/** What a tree looks like. */
export function documentKind(root: Node): DocumentKind {
  if (isCases(root)) return 'cases'
  if (isPolicy(root)) return 'policy'
  if (isPrices(root)) return 'prices'
  return detectDialect(root).dialect === null ? 'other' : 'definition'
}

/** Whether a tree is a case, or a list that has one: a definition with a title or steps to play. */
export function isCases(root: Node): boolean {
  if (root.kind === 'list') return root.items.some(isCase)
  return isCase(root)
}

function isCase(node: Node): boolean {
  const has = (key: string): boolean => member(node, key) !== undefined
  return (has('definition') || has('definition_file')) && (has('steps') || has('check'))
}

/** Whether an object is rather a case that lacks a part than a definition. */
export function isUnfinishedCase(node: Node): boolean {
  const has = (key: string): boolean => member(node, key) !== undefined
  if (has('definition') || has('definition_file')) return true
  return has('title') && has('steps') && !has('type')
}

const policyFields = ['allow', 'ask', 'deny', 'default']

function isPolicy(root: Node): boolean {
  if (root.kind !== 'object' || member(root, 'dialect') !== undefined) return false
  const keys = new Set(root.members.map((one) => one.key))
  const isMachine = ['states', 'steps', 'context', 'initial'].some((key) => keys.has(key))
  return !isMachine && policyFields.some((key) => keys.has(key))
}

function isPrices(root: Node): boolean {
  return (
    root.kind === 'object' &&
    root.members.every(({ key }) => key === 'prices') &&
    root.members.length > 0
  )
}
