/**
 * What a file is for, by its name: a place that keeps nothing, a source, the result of a build, a
 * report. Knows names only.
 */
import { anyOf } from './alternation-pattern.ts'
import names from './names.json' with { type: 'json' }

const device = /^\/dev\/(null|stdout|stderr|tty|fd\/[12])$/

/** A place that keeps nothing: the output, or a device. */
export function isNowhere(value: string | null): boolean {
  return value === '-' || (value !== null && device.test(value))
}

const dashIsFile: ReadonlySet<string> = new Set(names.dashIsFile.split(' '))

/** Whether what a program writes there is kept; to some, `-` is a file of that name. */
export function keepsOutput(value: string | null, program: string): boolean {
  return !isNowhere(value) || (value === '-' && dashIsFile.has(program))
}

const projectFile = anyOf(names.projectFiles, '^(?:', ')$')
const sourceEnding = anyOf(names.sourceEndings, '\\.(?:', ')$')

/** Whether a file ends as sources do. */
export function isSourceFile(value: string): boolean {
  return sourceEnding.test(value)
}

/** Whether the file is part of what a project is made of, and no report on it. */
export function isProjectFile(value: string): boolean {
  const name = value.slice(value.lastIndexOf('/') + 1)
  return !isNowhere(value) && (projectFile.test(name) || isSourceFile(name))
}

const buildFolder = anyOf(names.buildFolders, '^(?:\\./)?(?:', ')(?:/|$)|\\.(?:min|bundle)\\.\\w+$')

/** Whether the result of a build goes where such results go. */
export function isBuildResult(value: string | null): boolean {
  return isNowhere(value) || (value !== null && buildFolder.test(value) && !value.includes('..'))
}

const reportName = anyOf(names.reportNames, '(?:', ')')

/** Whether a file is called as reports are, or stands where they do. */
export function isReport(value: string | null): boolean {
  return isBuildResult(value) || reportName.test(reportIn(value ?? ''))
}

/** `--cov-report=html:dir`, `--outputFile.junit=x`: the file behind the format. */
export function reportIn(value: string): string {
  const at = value.lastIndexOf(':')
  if (at >= 0) return value.slice(at + 1)
  return /^(term|html|xml|json|lcov|annotate)(-[a-z-]+)?$/.test(value) ? '-' : value
}
