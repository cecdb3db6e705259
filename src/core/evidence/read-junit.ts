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

const newCounts = (): MutableCounts => ({ passed: 0, failed: 0, skipped: 0, total: 0 })

/** The tests in a JUnit report; null: not a report, incomplete, or its numbers disagree. */
export function readJunitCounts(xml: string): CountedTests | null {
  const tags = readXmlTags(xml)
  const root = tags?.[0]?.name
  if (tags === null || (root !== 'testsuites' && root !== 'testsuite')) return null
  const suites: Suite[] = []
  let end: keyof CountedTests = 'passed'
  let whole: MutableCounts | null = null
  for (const tag of tags) {
    if (tag.name === 'testcase') end = noteCase(tag, suites, end)
    else if (tag.name === 'failure' || tag.name === 'error') end = worse(tag, end, 'failed')
    else if (tag.name === 'skipped') end = worse(tag, end, 'skipped')
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

/** How the case ends that begins or has ended here. */
function noteCase(
  tag: XmlTag,
  suites: readonly Suite[],
  end: keyof CountedTests,
): keyof CountedTests {
  if (tag.kind === 'open') return 'passed'
  const counts = suites.at(-1)?.counts ?? newCounts()
  const how = tag.kind === 'single' ? 'passed' : end
  counts[how] += 1
  counts.total += 1
  return 'passed'
}

function worse(
  tag: XmlTag,
  end: keyof CountedTests,
  how: 'failed' | 'skipped',
): keyof CountedTests {
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
  if (failures !== null && errors !== null && failures + errors !== counts.failed) return false
  const skipped = numberOf('skipped') ?? numberOf('disabled')
  return skipped === null || skipped === counts.skipped
}
