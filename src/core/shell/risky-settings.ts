/** Settings by which a program runs another one, loads code, or trusts somebody else. */
import { alternationPattern } from './alternation-pattern.ts'

/** Settings of git whose value is a program, a file with settings, or a door to either. */
const gitSetting = alternationPattern(
  '^',
  [
    'core\\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|alternaterefscommand)',
    'core\\.(gitproxy|attributesfile|worktree)',
    'alias\\. diff\\.external diff\\..*\\.(command|textconv) difftool\\. mergetool\\. guitool\\.',
    'merge\\..*\\.driver merge\\.tool diff\\.tool filter\\. gpg\\. credential\\. gui\\. lfs\\.',
    'sequence\\.editor include\\. includeif\\. pager\\. interactive\\.difffilter protocol\\.',
    'remote\\..*\\.(uploadpack|receivepack|proxy|vcs) uploadpack\\. url\\. hook\\. fsmonitor\\.',
    'init\\.templatedir sendemail\\. web\\.browser browser\\. man\\. help\\.',
    'trailer\\..*\\.(command|cmd)',
    'submodule\\..*\\.update http\\. tar\\. receive\\. ssh\\. imap\\. instaweb\\. trace2\\.',
    'uploadarchive\\. extensions\\. bundle\\.',
  ],
  '',
)

/** The name alone, as `git config` writes it; whole sections are dangerous by their names too. */
export function isRunningSetting(name: string): boolean {
  return gitSetting.test(`${name.toLowerCase()}`) || gitSetting.test(`${name.toLowerCase()}.`)
}

const tameValue = /=(cat|less|more|true|false|)$/

/** Nothing that is run; switching off the check of certificates is more than nothing. */
function isTameSetting(value: string): boolean {
  return tameValue.test(value) && !/sslverify/i.test(value)
}

const sshSetting = alternationPattern(
  '^(?:',
  [
    'proxycommand localcommand permitlocalcommand knownhostscommand pkcs11provider',
    'securitykeyprovider xauthlocation include remotecommand',
  ],
  ')\\s*[\\s=](?!\\s*(?:none|no)$)',
)

const cargoSetting =
  /runner|linker|rustc|rustdoc|wrapper|alias|credential|env\.|source|patch|paths|\.toml/

function addsPlugin(value: string): boolean {
  const at = value.search(/addopts\s*=/)
  return at >= 0 && value.includes('-p', at)
}

/** Whether a setting that is handed to a program changes what it runs; null: it is not known. */
export function riskySetting(program: string, value: string | null): boolean {
  if (value === null) return true
  switch (program) {
    case 'git':
      return (gitSetting.test(value.toLowerCase()) || value === '') && !isTameSetting(value)
    case 'ssh':
    case 'scp':
    case 'sftp':
      return sshSetting.test(value.toLowerCase())
    case 'cargo':
      return cargoSetting.test(value)
    case 'pytest':
      return addsPlugin(value) || /^(python_files|pythonpath|required_plugins)/.test(value)
    case 'cmake':
      return /LAUNCHER|TOOLCHAIN|COMPILER|PROGRAM|_COMMAND|MODULE_PATH/.test(value)
    case 'php':
      return /^(auto_prepend|auto_append|extension|zend)/.test(value)
    case 'go':
      // A linker or an archiver of the caller's choice.
      return /-ext(ld|ar)[=\s]|-fuse-ld=\S*\/|-wrapper\b|-specs=/.test(value)
    case 'rustc':
      return /^(linker|link-arg|ar)/.test(value)
    case 'mvn':
    case 'mvnw':
    case 'mvnd':
    case 'gradle':
    case 'gradlew':
    case 'ant':
      return /^(exec\.|.*executable|argLine|jvm$|.*agent|.*javaHome)/i.test(value)
    case 'hg':
    case 'svn':
    case 'jj':
    case 'tox':
    case 'apt':
    case 'apt-get':
    case 'apt-cache':
      return true
    default:
      return false
  }
}
