/**
 * Puts the libraries that the compiled program imports beside it, into `libraries/`, and points
 * its imports there: only what is used of them, and nothing that npm would have to install.
 * WHY: as npm installs them they are 56 MB, most of it other formats, maps and types.
 * Runs on the Node that the lockfile brought.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { argv } from 'node:process'
import { build, parseAst } from 'vite'
import { root } from './checkout.mjs'

const [, , outDir] = argv
const folder = join(outDir, 'libraries')
/** WHY installed by npm: its types are part of ours, so whoever imports Pawl needs it. */
const installed = /^zod(\/|$)/
/** Begins the name of a module that exists only while this runs: the entry of a bundle. */
const entry = '\0library:'

const files = readdirSync(outDir, { recursive: true })
  .filter((name) => name.endsWith('.js') && !name.startsWith(`dashboard${sep}`))
  .map((name) => ({ path: join(outDir, name), imports: importsIn(join(outDir, name)) }))
const libraries = namesByLibrary(files.flatMap(({ imports }) => imports))
const entries = {
  name: 'pawl-libraries',
  resolveId(id, importer) {
    if (id.startsWith(entry)) return id
    return importer?.startsWith(entry) ? this.resolve(id, join(root, 'package.json')) : null
  },
  load(id) {
    if (!id.startsWith(entry)) return null
    const library = id.slice(entry.length)
    return `export { ${[...libraries.get(library)].join(', ')} } from '${library}'`
  },
}

await bundle()
for (const file of files) pointToBundles(file)

/** Which libraries a file imports, where that is written, and which names of them it uses. */
function importsIn(path) {
  const found = []
  visit(parseAst(readFileSync(path, 'utf8')), (node) => {
    const library = node.source?.value
    if (typeof library !== 'string' || /^(\.|node:)/.test(library) || installed.test(library))
      return
    const { start, end } = node.source
    found.push({ library, start, end, names: namesOf(node) })
  })
  return found
}

function visit(node, onNode) {
  if (node === null || typeof node !== 'object') return
  if (!Array.isArray(node)) onNode(node)
  for (const value of Object.values(node)) visit(value, onNode)
}

/** `*`: any, as in `import()`. */
function namesOf({ type, specifiers = [] }) {
  if (type !== 'ImportDeclaration') return ['*']
  const nameOf = ({ imported }) => imported?.name ?? '*'
  return specifiers.map((one) => (one.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(one)))
}

function namesByLibrary(imports) {
  const all = new Map()
  for (const { library, names } of imports) {
    all.set(library, new Set([...(all.get(library) ?? []), ...names]))
  }
  return all
}

/** All libraries in one build, so that they share what they have in common. */
async function bundle() {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [entries],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: Object.fromEntries([...libraries.keys()].map((one) => [fileOf(one), entryOf(one)])),
        external: installed,
        output: { entryFileNames: '[name]', chunkFileNames: 'shared-[hash].js' },
      },
    },
  })
}

function fileOf(library) {
  return `${library.replace(/\.js$/, '').replace(/[@/]+/g, ' ').trim().replace(/ /g, '-')}.js`
}

/** WHY not always the library: of CommonJS, only names that are asked for become exports. */
function entryOf(library) {
  return libraries.get(library).has('*') ? library : entry + library
}

function pointToBundles({ path, imports }) {
  if (imports.length === 0) return
  let text = readFileSync(path, 'utf8')
  const toFolder = relative(dirname(path), folder).split(sep).join('/')
  // From the last to the first, so that positions stay true.
  for (const { library, start, end } of imports.toSorted((a, b) => b.start - a.start)) {
    const target = `${toFolder.startsWith('.') ? '' : './'}${toFolder}/${fileOf(library)}`
    text = `${text.slice(0, start)}'${target}'${text.slice(end)}`
  }
  writeFileSync(path, text)
}
