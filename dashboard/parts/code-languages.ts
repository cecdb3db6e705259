/**
 * Colours source text by language. Loaded when a diff is shown, not with the first page.
 * WHY these parsers: they work in steps and can be stopped, so that no text hangs a review. The one
 * for Markdown reads a whole paragraph in one step, which took half a minute.
 */
import type { Parser, PartialParse } from '@lezer/common'
import { parser as cpp } from '@lezer/cpp'
import { parser as css } from '@lezer/css'
import { parser as go } from '@lezer/go'
import { classHighlighter, highlightTree } from '@lezer/highlight'
import { parser as html } from '@lezer/html'
import { parser as java } from '@lezer/java'
import { parser as javascript } from '@lezer/javascript'
import { parser as json } from '@lezer/json'
import { parser as python } from '@lezer/python'
import { parser as rust } from '@lezer/rust'
import { parser as yaml } from '@lezer/yaml'
import { highlightShell } from '../../src/core/shell-view/highlight-shell.ts'
import type { CodeSpan } from './code-spans.ts'

const typescript = javascript.configure({ dialect: 'ts' })
const tsx = javascript.configure({ dialect: 'ts jsx' })
const jsx = javascript.configure({ dialect: 'jsx' })

const parsers: Readonly<Record<string, Parser>> = {
  ...{ js: jsx, jsx, mjs: jsx, cjs: jsx, ts: typescript, mts: typescript, cts: typescript, tsx },
  ...{ py: python, pyi: python, go, rs: rust, java, kt: java, cs: java },
  ...{ c: cpp, h: cpp, cc: cpp, cpp, hpp: cpp, css, scss: css, html, htm: html, vue: html },
  ...{ svelte: html, json, jsonc: json, yaml, yml: yaml },
}
const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh'])

const charsMax = 200_000
/** What a text may cost; one that needs more has no colours. */
const parseMsMax = 100
/** What all texts may cost until the page is loaded again. */
const pageMsMax = 2_000
let pageMs = 0

/** The coloured parts of a text, in order; empty: not known, too long, or too hard to read. */
export function colourCode(text: string, extension: string): readonly CodeSpan[] {
  if (text.length > charsMax) return []
  if (shells.has(extension)) {
    return highlightShell(text).map(({ begin, end, kind }) => ({ begin, end, name: `sh-${kind}` }))
  }
  const parser = parsers[extension]
  if (parser === undefined) return []
  try {
    return spansIn(parser.startParse(text))
  } catch {
    // A tree as deep as this one has no colours.
    return []
  }
}

function spansIn(parse: PartialParse): readonly CodeSpan[] {
  const spans: CodeSpan[] = []
  const begun = performance.now()
  const end = begun + Math.min(parseMsMax, pageMsMax - pageMs)
  let tree = null
  while (tree === null && performance.now() < end) tree = parse.advance()
  if (tree !== null) {
    highlightTree(tree, classHighlighter, (begin, to, name) => spans.push({ begin, end: to, name }))
  }
  pageMs += performance.now() - begun
  return spans
}
