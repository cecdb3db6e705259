/**
 * Variables that change which program runs under a name, which code it loads, or which server it
 * trusts. Setting one before a listed command means running something else.
 * Knows names and values, not commands.
 */
import { alternationPattern } from './alternation-pattern.ts'

const exact: ReadonlySet<string> = new Set(
  [
    'PATH IFS ENV SHELL COMSPEC CDPATH EXECIGNORE FPATH ZDOTDIR SHELLOPTS BASHOPTS',
    'PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS INPUTRC',
    'PAGER EDITOR VISUAL BROWSER MANPAGER LESS LESSOPEN LESSCLOSE LESSKEY LESSKEYIN MAILCAPS',
    'MANOPT COVERAGE_PROCESS_START VIRTUAL_ENV PYTHONWARNINGS',
    'PYTHON NODE_PATH PERLLIB RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN',
    'CLASSPATH JAVA_HOME JAVACMD GRADLE_USER_HOME MAVEN_ARGS M2_HOME PHPRC PHP_INI_SCAN_DIR',
    'GOROOT GOPATH GOENV GOTOOLCHAIN GOBIN RUSTC RUSTDOC RUSTUP_HOME RUSTUP_TOOLCHAIN CARGO_HOME',
    'CARGO CC CXX CPP LD AR AS NM LINKER FC MAKE MAKEFILES MFLAGS GCC_EXEC_PREFIX COMPILER_PATH',
    'DOTNET_STARTUP_HOOKS DOTNET_ROOT LUA_PATH LUA_CPATH ERL_LIBS JULIA_LOAD_PATH',
    'JULIA_DEPOT_PATH AWKPATH AWKLIBPATH TCLLIBPATH GUILE_LOAD_PATH EMACSLOADPATH VIMINIT EXINIT',
    'GVIMINIT VIMRUNTIME WGETRC CURL_HOME PSQLRC PGSYSCONFDIR PGSERVICEFILE MYSQL_HOME HGRCPATH',
    'HGEDITOR SVN_EDITOR OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES GCONV_PATH NLSPATH',
    'KUBECONFIG DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG HELM_PLUGINS TF_CLI_CONFIG_FILE',
    'RIPGREP_CONFIG_PATH ACKRC BAT_CONFIG_PATH FZF_DEFAULT_COMMAND PYTEST_PLUGINS',
    'TAR_OPTIONS ZIPOPT UNZIP DENO_DIR TSX_TSCONFIG_PATH TEXTDOMAIN TEXTDOMAINDIR',
    'COR_PROFILER SVN_SSH RUSTFLAGS RUSTDOCFLAGS GOFLAGS MAKEFLAGS GNUMAKEFLAGS ERL_FLAGS',
    'ERL_AFLAGS ERL_ZFLAGS CGO_CFLAGS CGO_LDFLAGS CGO_CXXFLAGS',
    'NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE',
    'REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE NIX_SSL_CERT_FILE DENO_CERT DENO_TLS_CA_STORE',
    'AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE',
    'HOSTALIASES KRB5_CONFIG GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOINSECURE PIP_CERT',
    'PIP_CONFIG_FILE PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_TRUSTED_HOST UV_INDEX',
    'UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INSECURE_HOST UV_CONFIG_FILE',
  ].flatMap((line) => line.split(' ')),
)

/** Whole families: one letter in front of the name is never what makes it dangerous. */
const families: readonly RegExp[] = [
  /^(LD|DYLD|BASH|GIT|ANSIBLE|TF_CLI_ARGS|CORECLR|LUA_INIT|R_PROFILE|R_ENVIRON|R_LIBS)(_|$)/,
  /^(PYTHON|PERL5|RUBYOPT)/,
  /^(npm_config|pnpm|yarn|bun|corepack)_/i,
  /^(HTTPS?|ALL|FTP|RSYNC|SOCKS5?)_PROXY$/i,
  /^CARGO_(ALIAS|HTTP|BUILD|TARGET|REGISTR|SOURCE|UNSTABLE)/,
  /^CMAKE_.*(LAUNCHER|TOOLCHAIN|COMPILER)/,
  /_(OPTS?|OPTIONS|ADDOPTS)$/,
  /(^|_)(PAGER|EDITOR|RSH|SSH_COMMAND|ASKPASS|WRAPPER|LAUNCHER|PRELOAD|SHELL)$/,
  /_(PLUGINS?|PLUGIN_PATH|INIT_SCRIPT|PROXY_COMMAND|EXTERNAL_DIFF)$/,
]

/** Members of those families that only change how something looks or is counted. */
const harmless: ReadonlySet<string> = new Set(
  [
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8',
    'PYTHONFAULTHANDLER PYTHONTRACEMALLOC PYTHONASYNCIODEBUG PYTHONOPTIMIZE',
    'PYTHONVERBOSE PYTHONDEVMODE PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONMALLOC',
    'PYTHONLEGACYWINDOWSSTDIO PYTHONCOERCECLOCALE PYTHONNODEBUGRANGES PYTHON_COLORS',
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL',
    'GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT',
    'GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_SHA GIT_COMMIT GIT_BRANCH',
    'GIT_TAG GIT_REF GIT_LFS_SKIP_SMUDGE CARGO_BUILD_JOBS CARGO_TARGET_DIR',
    'ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS XZ_OPT',
    'COREPACK_ENABLE_DOWNLOAD_PROMPT COREPACK_ENABLE_STRICT',
  ].flatMap((line) => line.split(' ')),
)

/** Programs that show a text and nothing else, or do nothing at all. */
const tameProgram = /^(|cat|less|more|true|:|less -[A-Za-z]+)$/
const tameBrowser = /^(none|true|false)?$/
/** A compiler by its usual name, of this or another platform, found where programs are found. */
const tameCompiler = /^(\/usr\/bin\/)?([a-z0-9_]+-)*(gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(-[\d.]+)?$/
const tameNodeOption = alternationPattern(
  '^--',
  [
    'max-old-space-size=\\d+ no-warnings no-deprecation trace-warnings trace-deprecation',
    'trace-uncaught experimental-vm-modules openssl-legacy-provider',
    'stack-trace-limit=\\d+ enable-source-maps unhandled-rejections=\\w+ throw-deprecation',
    'pending-deprecation abort-on-uncaught-exception',
    'experimental-strip-types experimental-sqlite dns-result-order=\\w+',
  ],
  '$',
)
/** What to warn of, what to build for, what to measure; nothing with a program or a library. */
const tameRustFlag = alternationPattern(
  '^',
  [
    '-[DWAF][\\w:-]+ --cap-lints=\\w+ --cfg=\\w+ --persist-doctests=(?!.*\\.\\.)[\\w-][\\w./-]*',
    '-C(target-cpu|target-feature|opt-level|debuginfo|panic|lto|codegen-units|strip)=[\\w+,.-]+',
    '-C(debug-assertions|overflow-checks|force-frame-pointers|instrument-coverage)(=\\w+)?',
    '-Z(sanitizer|cf-protection|threads)=[\\w,]+ -Zsanitizer-memory-track-origins(=\\d)?',
    '-Z(unstable-options|emit-stack-sizes)',
  ],
  '$',
)
const tameGoFlag = /^-(mod=\w+|count=\d+|v|race|tags=[\w,]+|trimpath|p=\d+|timeout=\w+|short)$/

/** Filters whose category is no module: one with a dot is imported. */
const tameWarnings = /^(\w+(:[^:,]*(:\w*(:[^:,]*(:\d*)?)?)?)?(,|$))+$/

/** Whether setting this variable can make another program or other code run. */
export function changesWhatRuns(name: string, value: string | null): boolean {
  if (harmless.has(name)) return false
  if (!exact.has(name) && !families.some((family) => family.test(name))) return false
  if (value === null) return true
  if (/(^|_)PAGER$/.test(name) || /(^|_)EDITOR$/.test(name)) return !tameProgram.test(value)
  if (name === 'NODE_OPTIONS') return !everyPart(value, tameNodeOption)
  if (name === 'GOFLAGS') return !everyPart(value, tameGoFlag)
  if (name === 'GOPROXY') return !/^(off|direct)$/.test(value)
  if (name === 'NODE_TLS_REJECT_UNAUTHORIZED') return value !== '1'
  if (name === 'PYTHONWARNINGS') return !tameWarnings.test(value)
  if (/^RUST(DOC)?FLAGS$/.test(name)) return !everyPart(glued(value), tameRustFlag)
  if (name === 'CC' || name === 'CXX') return !tameCompiler.test(value)
  if (name === 'BROWSER') return !tameBrowser.test(value)
  if (name === 'TS_NODE_COMPILER_OPTIONS') return /plugin|transform|\\/i.test(value)
  if (/^GIT_TRACE/.test(name)) return !/^[012]?$/.test(value)
  return true
}

/** `-C x` as `-Cx`, `--cfg x` as `--cfg=x`. */
function glued(flags: string): string {
  return flags
    .replace(/(^|\s)(-[CZDWAF])\s+/g, '$1$2')
    .replace(/(\s--[a-z-]+|^--[a-z-]+)\s+/g, '$1=')
}

function everyPart(value: string, allowed: RegExp): boolean {
  return value
    .trim()
    .split(/\s+/)
    .every((part) => allowed.test(part))
}
