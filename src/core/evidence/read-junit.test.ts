import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readJunitCounts } from './read-junit.ts'

const suite = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="G0Test" time="0.9" tests="4" errors="1" skipped="1" failures="1">
  <properties><property name="a" value="x > y"/></properties>
  <testcase name="a" classname="G0Test" time="0"/>
  <testcase name="b" classname="G0Test">
    <failure message="wrong" type="E"><![CDATA[<testcase/>]]></failure></testcase>
  <testcase name="c" classname="G0Test"><error message="&lt;testcase/&gt;"/></testcase>
  <testcase name="d"><skipped/></testcase>
  <system-out><![CDATA[<testsuite tests="9"><testcase/></testsuite>]]></system-out>
</testsuite>`

/** Written by the real programs: one test passed, one failed, one was skipped. */
const file = new URL('../../../test/fixtures/junit-reports.jsonl', import.meta.url)
const reports = readFileSync(file, 'utf8').trimEnd().split('\n')

describe('reading JUnit reports', () => {
  for (const { runner, xml } of reports.map((line) => JSON.parse(line))) {
    it(`counts what ${runner} wrote`, () => {
      expect(readJunitCounts(xml)).toEqual({ passed: 1, failed: 1, skipped: 1, total: 3 })
    })
  }
  it('counts the cases of one suite, whatever the tests print', () => {
    expect(readJunitCounts(suite)).toEqual({ passed: 1, failed: 2, skipped: 1, total: 4 })
  })
  it('adds up nested suites and checks what each says', () => {
    const inner = suite.slice(suite.indexOf('<testsuite'))
    const nested = `<testsuites tests="8" failures="2" errors="2">${inner}${inner}</testsuites>`
    expect(readJunitCounts(nested)).toEqual({ passed: 2, failed: 4, skipped: 2, total: 8 })
  })
  it('reads a report without tests as zero', () => {
    expect(readJunitCounts('<testsuites/>')).toEqual({ passed: 0, failed: 0, skipped: 0, total: 0 })
    expect(readJunitCounts('<testsuite tests="0"></testsuite>')?.total).toBe(0)
  })

  const unknown: [string, string][] = [
    ['a report that was cut', suite.slice(0, -20)],
    ['a number that disagrees with the cases', suite.replace('tests="4"', 'tests="40"')],
    ['a failure that the suite does not count', suite.replace('failures="1"', 'failures="0"')],
    ['another kind of document', '<html><testsuite tests="0"/></html>'],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${suite.slice(suite.indexOf('<test'))}`],
    ['two roots', '<testsuite tests="0"/><testsuite tests="0"/>'],
    ['tags that do not match', '<testsuite><testcase></testsuite></testcase>'],
    ['an attribute given twice', '<testsuite tests="0" tests="1"><testcase/></testsuite>'],
    ['failures without a case', '<testsuite failures="1"><testcase/></testsuite>'],
    ['errors without a case', '<testsuite errors="1"><testcase/></testsuite>'],
    ['a failure beside the cases', '<testsuite><error/><testcase/></testsuite>'],
    ['a case in a case', '<testsuite><testcase><failure/><testcase/></testcase></testsuite>'],
    ['what is no attribute', '<testsuite tests="1" failures=1><testcase/></testsuite>'],
    ['no report', '12 passed'],
    ['nothing', ''],
  ]
  for (const [what, xml] of unknown) {
    it(`does not know the counts of ${what}`, () => {
      expect(readJunitCounts(xml)).toBeNull()
    })
  }
  // Tried from each of its places, it would take minutes, in which the daemon answers nobody.
  it('reads a hostile tag in linear time', () => {
    const begun = performance.now()
    for (const part of ['a', ' a', 'a ', 'a=', 'a="']) {
      expect(readJunitCounts(`<testsuite ${part.repeat(500_000)}></testsuite>`)).toBeNull()
    }
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})
