/**
 * Removes secrets from short texts: summaries and what is recorded in a run. The log of a job
 * keeps every byte; only those who may read the job can read it.
 * TRAP: agents choose these texts, so every repetition before something else is bounded.
 */

/** What is known to be a secret by its look. */
const looks: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/g,
  // The end of a key whose beginning was cut off.
  /^[\s\S]*-----END [A-Z ]{0,32}PRIVATE KEY-----/g,
  /\b(?:sk|pk|rk)[-_](?:ant[-_]|proj[-_]|live[-_]|test[-_])?[A-Za-z0-9_-]{20,}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{16,}\b/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}\b/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}\b/g,
  /(?<![\w-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b/g,
]
/** What is a secret by what stands before it; the name stays readable. */
const secretWord = 'password|passwd|secret|token|api[_-]?key|credential'
const named = new RegExp(
  `((?:${secretWord})[\\w-]{0,64}\\\\?["']?\\s{0,8}[=:]\\s{0,8}\\\\?["']?)([^\\s"',;]{6,})`,
  'gi',
)
const bearer = /\b(authorization:\s{0,8}\w{1,32}\s{1,8}|bearer\s{1,8})([A-Za-z0-9._~+/=-]{8,})/gi
const credentials = /(\b[a-z][a-z0-9+.-]{0,32}:\/\/[^\s:/@]+:)([^\s@/]+)(@)/gi

const mark = '[redacted]'
/** Shorter values are words, and hiding them would hide the text. */
const secretCharsMin = 6

/** The text without secrets; `known` are values that were given as secrets. */
export function redact(text: string, known: readonly string[] = []): string {
  let clean = text
  for (const secret of known) {
    if (secret.length >= secretCharsMin) clean = clean.replaceAll(secret, mark)
  }
  for (const look of looks) clean = clean.replace(look, mark)
  return clean
    .replace(bearer, `$1${mark}`)
    .replace(named, `$1${mark}`)
    .replace(credentials, `$1${mark}$3`)
}

/** Whether a variable is named like a secret. */
export function isSecretName(name: string): boolean {
  return /pass|secret|token|key|credential|auth/i.test(name)
}

/** Values of variables that are named like secrets. */
export function secretsIn(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment)
    .filter(([name]) => isSecretName(name))
    .map(([, value]) => value)
}
