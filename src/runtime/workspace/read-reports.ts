/**
 * The JUnit reports that a command has written into the workspace: what was there before it began
 * says nothing about it. Knows files and their times. Must not know what rules want of the counts.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { WantedReport } from '../../core/engine/needs-workspace.ts'
import { readJunitCounts } from '../../core/evidence/read-junit.ts'
import type { TestCounts } from '../../core/evidence/recorded-evidence.ts'
import { addTestCounts, noTests } from '../../core/evidence/test-counts.ts'
import { readSmall } from '../changes/head-commit.ts'

const reportBytesMax = 8 * 1024 * 1024
/** Of all the reports in a folder: one file per test class. */
const folderBytesMax = 16 * 1024 * 1024
const folderFilesMax = 5_000

/** What each report says; null: it is none, was not written since, or is too large. */
export function readReports(
  workspace: string,
  wanted: readonly WantedReport[],
): Readonly<Record<string, TestCounts | null>> {
  return Object.fromEntries(wanted.map((one) => [one.path, readReport(workspace, one)]))
}

function readReport(workspace: string, wanted: WantedReport): TestCounts | null {
  try {
    const root = realpathSync(workspace)
    const place = join(root, wanted.path)
    // WHY no links: what is outside of the workspace was written by who knows whom.
    if (!place.startsWith(`${root}/`) || realpathSync(place) !== place) return null
    const isFolder = lstatSync(place).isDirectory()
    const sum = isFolder ? sumOfFolder(place, wanted) : countsIn(place, wanted)
    if (sum === null || sum === 'older') return null
    const { passed, failed, skipped } = sum
    return { passed, failed, skipped }
  } catch {
    return null
  }
}

type Counts = ReturnType<typeof readJunitCounts>

/** The reports that were written since, together; others are of tests that did not run. */
function sumOfFolder(folder: string, wanted: WantedReport): Counts {
  const names = readdirSync(folder).filter((name) => name.endsWith('.xml'))
  if (names.length > folderFilesMax) return null
  let sum: Counts = null
  let bytes = 0
  for (const name of names) {
    const path = join(folder, name)
    const counts = countsIn(path, wanted)
    if (counts === 'older') continue
    bytes += lstatSync(path).size
    if (counts === null || bytes > folderBytesMax) return null
    sum = addTestCounts(sum ?? noTests, counts)
  }
  return sum
}

function countsIn(path: string, { since, until }: WantedReport): Counts | 'older' {
  const { ctimeMs } = lstatSync(path)
  // WHY not in the same millisecond: times of commands are known no better.
  if (ctimeMs < since + 1) return 'older'
  if (until !== undefined && Math.floor(ctimeMs) > until) return null
  const text = readSmall(path, reportBytesMax)
  return text === null ? null : readJunitCounts(text)
}
