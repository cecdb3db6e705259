/**
 * The page at the daemon's address if the dashboard is not built: it says that the daemon runs,
 * and how to continue. No secrets and no scripts.
 */
import { hash } from 'node:crypto'

const style = `
:root {
  color-scheme: light dark;
  --ink: #1d2733; --paper: #fbfaf7; --soft: #6b7684; --line: #dcd8cf; --go: #1f8a4c
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #16191d; --soft: #98a2ae; --line: #2e343b; --go: #53c483 }
}
body { margin: 0; background: var(--paper); color: var(--ink) }
body { font: 17px/1.6 system-ui, sans-serif }
main { max-width: 42rem; margin: 0 auto; padding: 12vh 1.5rem 4rem }
h1 { font-size: 2.6rem; letter-spacing: -0.02em; margin: 0 }
h1 + p { color: var(--soft); margin: 0.2rem 0 2.5rem }
.on { color: var(--go) }
h2 { font-size: 1rem; margin: 2rem 0 0.5rem }
pre { border: 1px solid var(--line); border-radius: 8px; margin: 0 }
pre { padding: 1rem; overflow-x: auto }
code { font: 0.88rem/1.7 ui-monospace, monospace }
a { color: inherit }
footer { color: var(--soft); font-size: 0.88rem; margin-top: 3rem }
`

/** Only this one style, and nothing else, may be used by the page. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
} as const

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pawl</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Pawl</h1>
<p><span class="on">●</span> is running and checks every tool call of its runs</p>
<h2>Start a run and watch it</h2>
<pre><code>pawl start examples/workflow/tdd-bug-fix.json
pawl watch</code></pre>
<h2>Approve or refuse</h2>
<pre><code>pawl approvals
pawl approve ID --note 'looks right'</code></pre>
<h2>Use the API</h2>
<pre><code>curl http://127.0.0.1:PORT/v1/runs \\
  -H "Authorization: Bearer $(cat AGENT_TOKEN_FILE)"</code></pre>
<p><a href="/v1/openapi.json">OpenAPI 3.1 document</a> · <a href="/v1/health">health</a></p>
<footer>A pawl is the catch that lets a wheel turn only forward.</footer>
</main>
</body>
</html>
`
