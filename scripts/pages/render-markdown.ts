// Renders a document's Markdown as the title, headings and HTML of its page, with GitHub's anchors and links to other pages. HTML
// in the Markdown is shown as text.
import { Marked, type RendererObject, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked'
import { isUnbroken } from '../../src/pages/text/highlight.ts'
import { codeBlock, codeChoices } from './code-blocks.ts'
import { drawingFigure } from './drawings.ts'
import { escapeHtml } from './escape-html.ts'

export type Anchor = { depth: number; id: string; html: string }

export type RenderedDocument = {
  /** The title as text. */
  title: string
  /** The headings without the title. */
  anchors: readonly Anchor[]
  /** The HTML of the title and everything before the first section. */
  beginning: string
  /** The HTML of the sections. */
  parts: string
}

/** The other documents, by their file names without the ending. */
export type OtherDocuments = {
  titleOf: (name: string) => string
  isPublished: (name: string) => boolean
}

export function renderMarkdown(markdown: string, otherDocuments: OtherDocuments): RenderedDocument {
  const anchors: Anchor[] = []
  const marked = new Marked({ renderer: rendererFor(otherDocuments, anchors), extensions: [choicesOfCode()] })
  const [beginning = [], ...parts] = splitIntoParts(joinCode(marked.lexer(markdown)))
  const html = {
    beginning: marked.parser(beginning),
    parts: parts.map((part) => section(marked.parser(part))).join('\n'),
  }
  return { title: titleOf(markdown), anchors: anchors.filter(({ depth }) => depth > 1), ...html }
}

/**
 * Returns the Markdown that is served beside the page: without marks for programs, with drawings as their text, and with only the links
 * that the page has.
 */
export function publishedMarkdown(markdown: string, others: OtherDocuments): string {
  const parts = markdown.split(/^(```[^]*?\n```)$/m)
  return parts.map((part) => (part.startsWith('```') ? publishedCode(part) : publishedProse(part, others))).join('')
}

const publishedCode = (fenced: string): string =>
  fenced.startsWith('```drawing ') ? fenced.split('\n').slice(1, -1).join('\n') : fenced.replace(/^(```\w+) .*/, '$1')

const publishedProse = (prose: string, others: OtherDocuments): string =>
  prose
    .replaceAll(/<!--.*?-->\n*/g, '')
    .replaceAll(/\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)/g, (link, text: string, href: string) => {
      const file = /^([\w-]+)\.md$/.exec(text)?.[1]
      if (targetOf(href, others) === null) return file === undefined ? text : `\`docs/${text}\``
      return file === undefined ? link : `[${others.titleOf(file)}](${href})`
    })

/** Returns the title, from the document's first line. */
export function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`A document has no title: ${markdown.slice(0, 60)}`)
  return title
}

const section = (html: string): string => `<section class="stack">\n${html}</section>`

/** Splits the tokens into parts. Each part after the first begins with a heading of level two. */
function splitIntoParts(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (isHeading(token) && token.depth === 2) parts.push([])
    parts.at(-1)?.push(token)
  }
  return parts
}

const isCode = (token: Token | undefined): token is Tokens.Code => token?.type === 'code'

/** Languages in which a document writes the same call, in the order of its box. */
const CALLS = new Set<string | undefined>(['sh', 'python', 'js'])

/** Returns a block of code, or the blocks that were joined. */
const codeIn = (token: Token | undefined): Tokens.Code[] =>
  isCode(token) ? [token] : token?.type === 'choices' ? (token.tokens ?? []).filter(isCode) : []

/** Joins blocks of code in different languages, with no word between them, into one token. */
function joinCode(tokens: readonly Token[]): Token[] {
  const joined: Token[] = []
  for (const token of tokens.filter((one, at) => !(one.type === 'space' && isCode(tokens[at - 1])))) {
    const blocks = [...codeIn(joined.at(-1)), ...(isCode(token) ? [token] : [])]
    const languages = new Set(blocks.map(({ lang }) => lang))
    const isAnother = isCode(token) && blocks.length > 1 && languages.size === blocks.length
    if (isAnother && languages.isSubsetOf(CALLS)) joined.splice(-1, 1, { type: 'choices', raw: '', tokens: blocks })
    else joined.push(token)
  }
  return joined
}

function choicesOfCode(): TokenizerAndRendererExtension {
  let boxes = 0
  const order = [...CALLS]
  return {
    name: 'choices',
    renderer: (token) =>
      `${codeChoices(
        codeIn(token)
          .map(({ text, lang = '' }) => ({ text, lang }))
          .toSorted((one, other) => order.indexOf(one.lang) - order.indexOf(other.lang)),
        `language-${(boxes += 1)}`,
      )}\n`,
  }
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

function rendererFor(otherDocuments: OtherDocuments, anchors: Anchor[]): RendererObject {
  const idOf = anchorNames()
  return {
    heading({ tokens, depth, text }) {
      const html = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1>${html}</h1>\n`
      const id = idOf(text)
      anchors.push({ depth, id, html })
      return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`
    },
    code({ text, lang, codeBlockStyle }) {
      const drawing = /^drawing (\S+)$/.exec(lang ?? '')?.[1]
      if (drawing !== undefined) return drawingFigure(drawing, text)
      // Code without a language is drawn with characters, so its lines must not wrap.
      const isDrawn = codeBlockStyle !== 'indented' && (lang ?? '') === ''
      if (isDrawn) return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`
      // "sh production": commands that need a deployment, which no test runs.
      const [language = ''] = (lang ?? '').split(' ')
      return `${codeBlock({ text, lang: language })}\n`
    },
    codespan: ({ text }) => `<code${isUnbroken(text) ? ' class="nowrap"' : ''}>${escapeHtml(text)}</code>`,
    table({ header, rows }) {
      const cells = (row: Tokens.TableCell[], isHeader: boolean): string =>
        row.map((cell) => tableCell(this.parser.parseInline(cell.tokens), cell.align, isHeader)).join('')
      const body = rows.map((row) => `<tr>${cells(row, false)}</tr>`).join('\n')
      const named = anchors.at(-1)?.id
      const label = named === undefined ? 'aria-label="Table"' : `aria-labelledby="${named}"`
      return `<div class="table" role="group" tabindex="0" ${label}><table><thead><tr>${cells(header, true)}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`
    },
    link({ href, text, tokens }) {
      const file = /^([\w-]+)\.md$/.exec(text)?.[1]
      const target = targetOf(href, otherDocuments)
      if (target === null) return file === undefined ? this.parser.parseInline(tokens) : `<code>docs/${text}</code>`
      const words = file === undefined ? this.parser.parseInline(tokens) : escapeHtml(otherDocuments.titleOf(file))
      return `<a href="${escapeHtml(target)}">${words}</a>`
    },
    image: ({ text }) => escapeHtml(text),
    html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
  }
}

/** Returns the link's target, or null if readers of the pages do not have it. */
function targetOf(href: string, { isPublished }: OtherDocuments): string | null {
  if (/^(#|\/|https:\/\/)/.test(href)) return href
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.+)?$/.exec(href) ?? []
  return isPublished(name) ? `/docs/${name}${anchor}` : null
}

function tableCell(html: string, align: Tokens.TableCell['align'], isHeader: boolean): string {
  const number = align === 'right' ? ' class="number"' : ''
  return isHeader && html !== '' ? `<th scope="col"${number}>${html}</th>` : `<td${number}>${html}</td>`
}

/** Returns a function that names anchors as GitHub does: a repeated name gets a number. */
function anchorNames(): (text: string) => string {
  const times = new Map<string, number>()
  return (text) => {
    const name = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    return before === 0 ? name : `${name}-${before}`
  }
}
