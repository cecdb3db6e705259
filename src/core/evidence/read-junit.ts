/**
 * Reads a JUnit report: test cases and how they ended.
 * Knows JUnit's elements. Must not know who wrote the report, nor how XML is tokenised.
 *
 * The cases are counted, and what a suite says about itself must agree: a report that was cut or
 * edited by hand is unknown.
 */
import { type CountedTests, testCountMax } from './test-counts.ts'
import { readXmlTags, type XmlTag } from './xml-tags.ts'

type Suite = { readonly stated: ReadonlyMap<string, string>; counts: MutableCounts }
type MutableCounts = { passed: number; failed: number; skipped: number; total: number }

type CaseEnd = 'passed' | 'failed' | 'skipped'

const newCounts = (): MutableCounts => ({ passed: 0, failed: 0, skipped: 0, total: 0 })

/** The tests in a JUnit report; null: not a report, incomplete, or its numbers disagree. */
export function readJunitCounts(xml: string): CountedTests | null {
  const tags = readXmlTags(xml)
  const root = tags?.[0]?.name
  if (tags === null || (root !== 'testsuites' && root !== 'testsuite')) return null
  const suites: Suite[] = []
  // Null: outside of a case.
  let end: CaseEnd | null = null
  let whole: MutableCounts | null = null
  for (const tag of tags) {
    const { name } = tag
    if (name === 'testcase') {
      if (tag.kind !== 'close' && end !== null) return null
      end = noteCase(tag, suites, end)
    } else if (name === 'failure' || name === 'error') {
      // Of what failed beside the cases, nothing can be counted.
      if (end === null) return null
      end = worse(tag, end, 'failed')
    } else if (name === 'skipped') end = end === null ? null : worse(tag, end, 'skipped')
    else if (tag.name !== 'testsuite' && tag.name !== 'testsuites') continue
    else if (tag.kind !== 'close') suites.push({ stated: tag.attributes, counts: newCounts() })
    if (tag.kind === 'open' || !tag.name.startsWith('testsuite')) continue
    const suite = suites.pop()
    if (suite === undefined || !isAsStated(suite)) return null
    const parent = suites.at(-1)
    if (parent === undefined) whole = suite.counts
    else addTo(parent.counts, suite.counts)
  }
  return whole
}

/** How the case ends that begins here; null: it has ended, and is counted. */
function noteCase(tag: XmlTag, suites: readonly Suite[], end: CaseEnd | null): CaseEnd | null {
  if (tag.kind === 'open') return 'passed'
  const counts = suites.at(-1)?.counts ?? newCounts()
  counts[end ?? 'passed'] += 1
  counts.total += 1
  return null
}

function worse(tag: XmlTag, end: CaseEnd, how: CaseEnd): CaseEnd {
  return tag.kind === 'close' || end === 'failed' ? end : how
}

function addTo(to: MutableCounts, from: CountedTests): void {
  to.passed += from.passed
  to.failed += from.failed
  to.skipped += from.skipped
  to.total += from.total
}

function isAsStated({ stated, counts }: Suite): boolean {
  const numberOf = (name: string): number | null => {
    const value = stated.get(name)
    return value === undefined || value === '' ? null : Number(value)
  }
  if (counts.total > testCountMax) return false
  const tests = numberOf('tests')
  if (tests !== null && tests !== counts.total) return false
  const failures = numberOf('failures')
  const errors = numberOf('errors')
  // WHY only as many at least, where one is not stated: the cases may have what it would count.
  const failed = (failures ?? 0) + (errors ?? 0)
  const isWhole = failures !== null && errors !== null
  if (isWhole ? failed !== counts.failed : !(failed <= counts.failed)) return false
  const skipped = numberOf('skipped') ?? numberOf('disabled')
  return skipped === null || skipped === counts.skipped
}
