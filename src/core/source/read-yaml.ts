/**
 * Parses YAML 1.2 into a tree with positions: only the part that JSON can express, one document.
 * Knows the library's nodes. Tokens are checked as the library reads them, so that a deep or long
 * text is rejected early.
 */
import { Composer, type Document, isScalar, Lexer, type ParsedNode, Parser } from 'yaml'
import type { Finding, FindingWords } from '../finding.ts'
import { finding } from '../finding.ts'
import { sourceDepthMax, tooLarge, yamlTokensMax } from './limits.ts'
import type { SourceReading } from './text-rules.ts'
import { treeOf } from './yaml-tree.ts'

/** The library keeps the document, a pair and a scalar on its stack besides the collections. */
const stackMax = sourceDepthMax + 4

type CstToken = Parameters<Composer['next']>[0]
type Remark = { readonly code: string; readonly message: string; readonly offset: number }

/** The tree of a YAML text; null with an error when it can't be read. */
export function readYaml(text: string): SourceReading {
  const tokens: CstToken[] = []
  const tooMuch = tokenize(text, tokens)
  if (tooMuch !== null) return { root: null, findings: [tooMuch] }
  const composed = compose(tokens)
  if ('code' in composed) return { root: null, findings: [remarkFinding(composed)] }
  const document = composed.documents[0]
  const contents = document?.contents
  if (document === undefined || contents === null || contents === undefined || isEmpty(contents)) {
    return refused({ message: 'the text is empty', hint: '' }, 0)
  }
  const second = composed.documents[1]
  if (second !== undefined) {
    const hint = 'put each definition in its own file'
    const offset = second.range?.[0] ?? 0
    return refused({ message: 'the text contains more than one YAML document', hint }, offset)
  }
  if (document.directives?.yaml.version !== '1.2') {
    const hint = 'remove the `%YAML` line; in YAML 1.2, `yes` and `on` are strings'
    return refused({ message: 'only YAML 1.2 is supported', hint }, 0)
  }
  return treeOf(contents)
}

/** WHY: no content is a null to the library, as `~` is; only `~` has a source. */
function isEmpty(contents: ParsedNode): boolean {
  return isScalar(contents) && contents.value === null && contents.source === ''
}

function tokenize(text: string, tokens: CstToken[]): Finding | null {
  const parser = new Parser()
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > yamlTokensMax) {
      const message = `the YAML text has more than ${yamlTokensMax} tokens`
      const hint = 'split the definition, or write it as JSON, which may be longer'
      return { ...tooLarge('', parser.offset, message), hint }
    }
    for (const one of parser.next(lexeme)) tokens.push(one)
    if (parser.stack.length > stackMax) {
      const message = `values are nested more than ${sourceDepthMax} levels deep`
      return tooLarge('', parser.offset, message)
    }
  }
  for (const one of parser.end()) tokens.push(one)
  return null
}

type Composed = { readonly documents: readonly Document.Parsed[] }

function compose(tokens: CstToken[]): Composed | Remark {
  const found: Remark[] = []
  const options = { prettyErrors: false, uniqueKeys: false, merge: false, schema: 'core' } as const
  const composer = new Composer(options)
  // WHY: the library would make an Error with its stack for each of perhaps 100 000 remarks, which
  //      takes seconds. The first one is enough, so composing ends there. Without this hook the
  //      errors are still read below, only later.
  Object.assign(composer, {
    onError: (source: unknown, code: string, ...rest: readonly [string, boolean?]) => {
      const [message, isWarning] = rest
      if (isWarning === true) return
      found.push({ code, message, offset: offsetOf(source) })
      throw new Error('bug: a warning of the YAML reader was not caught')
    },
  })
  const documents: Document.Parsed[] = []
  try {
    for (const document of composer.compose(tokens)) {
      documents.push(document)
      const error = document.errors[0]
      if (error !== undefined) {
        return { code: error.code, message: error.message, offset: error.pos[0] }
      }
      if (documents.length > 1) break
    }
  } catch (cause) {
    // WHY: whatever the library throws on a hostile text, the author's text is what can't be read.
    const message = cause instanceof Error ? cause.message : 'the text cannot be parsed'
    return found[0] ?? { code: 'IMPOSSIBLE', message, offset: 0 }
  }
  return { documents }
}

function offsetOf(source: unknown): number {
  if (typeof source === 'number') return source
  if (Array.isArray(source)) return typeof source[0] === 'number' ? source[0] : 0
  if (typeof source === 'object' && source !== null && 'offset' in source) {
    return typeof source.offset === 'number' ? source.offset : 0
  }
  return 0
}

const remarks: Readonly<Record<string, FindingWords>> = {
  BAD_DQ_ESCAPE: {
    message: 'unknown escape in a string',
    hint: 'write a backslash as `\\\\`, or use single quotes',
  },
  BAD_INDENT: {
    message: 'the line is not indented like its neighbours',
    hint: 'members of one object begin in the same column',
  },
  BAD_SCALAR_START: {
    message: 'a string begins with a character that has a special meaning in YAML',
    hint: 'put the string in quotes',
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a second `:` in one value',
    hint: 'put a string that contains `: ` in quotes; or a line below is indented too far',
  },
  BLOCK_IN_FLOW: {
    message: 'an indented list or object inside brackets',
    hint: 'inside `[` and `{` separate items with commas',
  },
  KEY_OVER_1024_CHARS: { message: 'a key is longer than 1024 characters', hint: 'shorten it' },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a key spans more than one line',
    hint: 'a `:` may be missing at the end of the line before',
  },
  MULTIPLE_ANCHORS: { message: 'a value has two anchors', hint: 'remove one' },
  MULTIPLE_TAGS: { message: 'a value has two tags', hint: 'remove both' },
  TAB_AS_INDENT: { message: 'a line is indented with a tab', hint: 'use spaces' },
  BAD_ALIAS: {
    message: 'an anchor or alias has no name',
    hint: 'put a string with `*` or `&` in quotes',
  },
  TAG_RESOLVE_FAILED: { message: 'a value does not match its tag', hint: 'remove the tag' },
}

function remarkFinding(remark: Remark): Finding {
  const known = remarks[remark.code]
  const plain = remark.message.replace(/\s+/g, ' ').slice(0, 160)
  const lower = plain.charAt(0).toLowerCase() + plain.slice(1)
  const words = known ?? { message: `not YAML: ${lower}`, hint: 'check quotes and indentation' }
  return { ...finding('SYNTAX_INVALID', '', words), offset: remark.offset }
}

function refused(words: FindingWords, offset: number): SourceReading {
  return { root: null, findings: [{ ...finding('SYNTAX_INVALID', '', words), offset }] }
}
