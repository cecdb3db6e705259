/**
 * Bundles the page into the folder that is named: files with hashed names, no inline code.
 * Runs on the Node that the lockfile brought.
 */
import { join } from 'node:path'
import { argv } from 'node:process'
import { build } from 'vite'
import { root } from './checkout.mjs'

const [, , outDir] = argv

/** A library marks its files for a server that we do not have. */
function tellUnlessKnown(level, log, tell) {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log)
}

await build({
  root: join(root, 'dashboard'),
  base: './',
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    target: 'es2023',
    // WHY: the policy of the page forbids what is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { onLog: tellUnlessKnown },
  },
})
