/** Options and settings with which git runs programs or writes files. */
import { alternationPattern } from './alternation-pattern.ts'
import type { CommandArguments } from './command-arguments.ts'

/** Settings whose value is a program, a file with settings, or a door to either. */
const riskySetting = alternationPattern(
  '^',
  [
    'core\\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass) core\\.alternaterefscommand',
    'core\\.(gitproxy|attributesfile|worktree)',
    'alias\\. diff\\.external diff\\..*\\.(command|textconv) difftool\\. mergetool\\.',
    'merge\\..*\\.driver filter\\. gpg\\. credential\\. sequence\\.editor include\\.',
    'includeif\\. pager\\. interactive\\.difffilter protocol\\.',
    'remote\\..*\\.(uploadpack|receivepack|proxy|vcs) uploadpack\\. url\\.',
    'init\\.templatedir sendemail\\. web\\.browser browser\\. man\\. trailer\\.',
    'submodule\\..*\\.update http\\. tar\\. receive\\. ssh\\. safe\\.',
  ],
  '',
)

const tameValue = /=(cat|less|more|true|false|)$/

/** The word of a git command that is the trouble; null: none. */
export function unsafeGitOption(tail: CommandArguments): string | null {
  const sub = tail.words[1] ?? ''
  for (let i = tail.listedCount; i < tail.starts.length; i += 1) {
    const start = tail.starts[i] as string
    const next = tail.words[i + 1] ?? null
    if (start === '--') return null
    // `git branch -c`: a setting would follow.
    if (start === '-c' && i + 1 === tail.starts.length) continue
    if (isRisky({ sub, start, next })) return start
  }
  return null
}

type GitOptionPosition = {
  readonly sub: string
  readonly start: string
  readonly next: string | null
}

function isRisky(place: GitOptionPosition): boolean {
  const { sub, start, next } = place
  if (/^ext::|^[^/]*::/.test(start) && !start.startsWith('-'))
    return /^(ext|fd|transport)::/.test(start)
  if (!start.startsWith('-')) return false
  if (start === '-c' && !/^(commit|switch|checkout|diff|log|show)$/.test(sub)) {
    return isRiskySetting(next)
  }
  if (/^(--config|--config-env)(=|$)/.test(start)) {
    return isRiskySetting(start.includes('=') ? start.slice(start.indexOf('=') + 1) : next)
  }
  // Git takes any beginning of a long option that is not shared by another.
  if (/^--ou[tpu]*(=|$)/.test(start)) return sub !== 'archive'
  if (/^--ext-d/.test(start) || /^--upl/.test(start) || /^--rec(e|eive-pack)/.test(start))
    return true
  if (sub === 'grep' && (/^-O/.test(start) || /^--op/.test(start))) return true
  if (sub === 'clone' && (/^-u/.test(start) || /^--templ/.test(start))) return true
  if (sub === 'init' && /^--templ/.test(start)) return true
  if (sub === 'difftool' && /^(-x|--extc)/.test(start)) return true
  if (/^(archive|ls-remote|fetch-pack|send-pack)$/.test(sub) && /^--exec/.test(start)) return true
  return /^--(exec-path|git-dir|work-tree)=/.test(start)
}

function isRiskySetting(setting: string | null): boolean {
  return setting === null || (riskySetting.test(setting.toLowerCase()) && !tameValue.test(setting))
}
