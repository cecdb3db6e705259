/**
 * Patterns over file paths, and paths as text.
 * Knows text only: no disk is asked, no link is followed.
 * WHY: our own matcher instead of a library's. Libraries translate a glob into a regular
 * expression of the host, and `*a*a*a*a*b` then takes forever. The tests compare with picomatch.
 */

/** The longest pattern that is looked at; a longer one matches nothing. */
export const globCharsMax = 1000
/** How often `**` may stand in one pattern. */
const globStarsMax = 16
/** The longest path that is looked at; a longer one is matched by nothing. */
export const pathCharsMax = 4096

/**
 * Whether a path relative to the workspace matches. `*` and `?` stay inside a directory, `**` as a
 * whole segment is any number of directories; every other character means itself. `dir/**` is
 * also `dir` itself: who removes the directory touches all that is in it.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern === '' || path === '') return false
  if (pattern.length > globCharsMax || path.length > pathCharsMax) return false
  const wanted = pattern.split('/')
  return reachedBy(wanted, path.split('/'))[wanted.length] === true
}

/**
 * Whether a change of this path could touch a file that matches: the path itself, for a folder
 * (`dir/`) whatever is below it, and for a path with wildcards of its own what it stands for.
 */
export function couldTouch(pattern: string, path: string): boolean {
  if (!path.endsWith('/')) {
    return matchesGlob(pattern, path) || (/[*?]/.test(path) && matchesGlob(path, pattern))
  }
  const folder = path.slice(0, -1)
  if (matchesGlob(pattern, folder)) return true
  if (pattern === '' || pattern.length > globCharsMax || path.length > pathCharsMax) return false
  const wanted = pattern.split('/')
  return reachedBy(wanted, folder === '.' ? [] : folder.split('/')).includes(true)
}

/** At i: the segments are matched by the first i parts of the pattern. */
function reachedBy(wanted: readonly string[], segments: readonly string[]): readonly boolean[] {
  // reached[i]: the segments seen so far are matched by the first i parts of the pattern.
  let reached = spread(wanted, [true])
  for (const segment of segments) {
    const next: boolean[] = []
    wanted.forEach((part, i) => {
      if (part === '**') next[i + 1] = reached[i] === true || reached[i + 1] === true
      else if (reached[i] === true) next[i + 1] = matchesSegment(part, segment)
    })
    reached = spread(wanted, next)
  }
  return reached
}

/** `**` may stand for nothing, so whoever stands before it also stands behind it. */
function spread(wanted: readonly string[], reached: readonly boolean[]): boolean[] {
  const all = [...reached]
  wanted.forEach((part, i) => {
    if (part === '**' && all[i] === true) all[i + 1] = true
  })
  return all
}

/** The usual walk with one way back: at most pattern times text steps. */
function matchesSegment(pattern: string, text: string): boolean {
  const wanted = [...pattern]
  const chars = [...text]
  if (chars.length === 0) return wanted.length === 0
  let p = 0
  let star = -1
  let starAt = 0
  for (let t = 0; t < chars.length; ) {
    if (wanted[p] === '*') {
      star = p
      starAt = t
      p += 1
    } else if (p < wanted.length && (wanted[p] === '?' || wanted[p] === chars[t])) {
      p += 1
      t += 1
    } else if (star >= 0) {
      p = star + 1
      starAt += 1
      t = starAt
    } else {
      return false
    }
  }
  return wanted.slice(p).every((char) => char === '*')
}

/** Why a pattern cannot be used, or null. What is used is matched in bounded time. */
export function globProblem(pattern: string): string | null {
  if (pattern.trim() === '') return 'an empty pattern matches nothing'
  if (pattern.length > globCharsMax) return `a pattern can have at most ${globCharsMax} characters`
  if (pattern.split('**').length - 1 > globStarsMax)
    return `more than ${globStarsMax} uses of \`**\``
  if (/\{[^{}]*,[^{}]*\}/.test(pattern)) return 'alternatives in braces are not supported'
  return null
}

/**
 * A path as the text relative to the workspace, `.` for the workspace itself; null when it leaves.
 * Both are POSIX paths. A path that begins at somebody's home leaves, too: tools expand it.
 */
export function normalisePath(path: string, workspace: string): string | null {
  if (path.length > pathCharsMax || path.includes('\0')) return null
  if (path === '~' || path.startsWith('~/')) return null
  const base = resolve(workspace)
  const whole = resolve(path.startsWith('/') ? path : `/${base.join('/')}/${path}`)
  if (base.some((segment, i) => whole[i] !== segment)) return null
  return whole.slice(base.length).join('/') || '.'
}

/** The segments of an absolute path. Above the root there is only the root, as POSIX has it. */
function resolve(path: string): string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}
