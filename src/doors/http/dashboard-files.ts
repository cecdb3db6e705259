/**
 * Serves the built files of the dashboard. They contain no secrets; the data comes from the API
 * after signing in.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { safeHeaders } from './send.ts'

/** Sends a file of the page; false: there is none of that name. */
export type PageFiles = (response: ServerResponse, name: string) => boolean

/**
 * Nothing but our own files, no inline code, no other site in either direction; and texts cannot
 * become elements, because only the one policy that starts our worker may make code of a text.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types pawl',
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

const namePattern = /^(?:index\.html|assets\/[\w.-]+)$/

/**
 * Null: the page was not built.
 * WHY nothing is kept: an upgrade replaces the files while the daemon runs, and a page with the
 * parts of another build would stay empty. Browsers keep the parts.
 */
export function openPageFiles(folder: string): PageFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  return (response, name) => {
    const type = types[extname(name)]
    if (!namePattern.test(name) || type === undefined) return false
    const bytes = bytesIn(join(folder, name))
    if (bytes === null) return false
    response.writeHead(200, {
      ...safeHeaders,
      'content-security-policy': pagePolicy,
      'content-type': type,
      'content-length': bytes.length,
      // The names of assets change with what is in them.
      ...(name === 'index.html' ? {} : { 'cache-control': 'private, max-age=31536000, immutable' }),
    })
    response.end(bytes)
    return true
  }
}

/** Null: it is not there, or not any more. */
function bytesIn(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}
