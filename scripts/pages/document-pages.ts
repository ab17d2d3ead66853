// Vite plugin that makes HTML pages from the documents in docs/ that users need, and a page that lists them.
// The documents are served as Markdown too, with a list for programs.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { COLLECTION_PATH } from '../document/postman-collection.ts'
import { codeChoices } from './code-blocks.ts'
import { escapeHtml } from './escape-html.ts'
import { guidePage } from './guide-page.ts'
import {
  DOCUMENT_GROUPS,
  LISTED_DOCUMENTS,
  PUBLISHED_DOCUMENTS,
  QUICK_STARTS,
  type DocumentGroup,
} from './published-documents.ts'
import {
  publishedMarkdown,
  renderMarkdown,
  titleOf,
  type OtherDocuments,
  type RenderedDocument,
} from './render-markdown.ts'

const DOCUMENTS = resolve(import.meta.dirname, '../../docs')

const readMarkdown = (name: string): string => readFileSync(resolve(DOCUMENTS, `${name}.md`), 'utf8')

const otherDocuments: OtherDocuments = {
  titleOf: (name) => titleOf(readMarkdown(name)),
  isPublished: (name) => PUBLISHED_DOCUMENTS.includes(name),
}

export const renderDocument = (name: string): RenderedDocument => renderMarkdown(readMarkdown(name), otherDocuments)

/** The Markdown of each file, which is served beside the page. */
export const MARKDOWN_FILES: ReadonlyMap<string, () => string> = new Map(
  LISTED_DOCUMENTS.map(({ name }) => [`docs/${name}.md`, () => publishedMarkdown(readMarkdown(name), otherDocuments)]),
)

type Listed = (typeof LISTED_DOCUMENTS)[number]

/** The HTML of each file, made when it is needed. */
const PAGES: ReadonlyMap<string, () => string> = new Map([
  ['docs.html', indexPage],
  ...LISTED_DOCUMENTS.map((listed, at) => [`docs/${listed.name}.html`, () => documentPage(listed, at)] as const),
])

export const DOCUMENT_PAGES: readonly string[] = [...PAGES.keys()]

/** Returns the plugin. @param root the folder of the HTML pages; documents are no files there, so the plugin makes them */
export function documentPages(root: string): Plugin {
  const pages = new Map([...PAGES].map(([file, make]) => [resolve(root, file), make]))
  return {
    name: 'document-pages',
    enforce: 'pre',
    resolveId: (id) => (pages.has(id) ? id : null),
    load: (id) => pages.get(id)?.() ?? null,
    generateBundle() {
      const files = [...MARKDOWN_FILES, ['llms.txt', programIndex] as const]
      for (const [fileName, make] of files) this.emitFile({ type: 'asset', fileName, source: make() })
    },
  }
}

/** The list of everything for programs that read documents, in the form of https://llmstxt.org. */
function programIndex(): string {
  const groups = DOCUMENT_GROUPS.map(({ title, documents }) => [
    `## ${title}\n`,
    ...documents.map(({ name, label, sentence }) => `- [${label}](/docs/${name}.md): ${sentence}`),
  ])
  const descriptions = [
    '## API\n',
    '- [Referral service](/v1/referral/openapi.json): OpenAPI 3.1, the operations for software of general practice.',
    `- [Collection](${COLLECTION_PATH}): the referral service’s requests with example letters, for Bruno and Postman.`,
    '- [Whole service](/v1/openapi.json): OpenAPI 3.1, every operation.',
  ]
  return `# Countersign

> Two readers countersign a referral’s specialty; a gateway countersigns every model call.

Each document is Markdown here, and a page at the same address without \`.md\`.

${[...groups, descriptions].map((lines) => lines.join('\n')).join('\n\n')}
`
}

/** Matches a document that names files or commands of the repository. */
const NAMES_REPOSITORY = /\bnp[mx] |`(?:src|test|scripts|data)\//
const REPOSITORY_NOTE = `<p class="small soft">Files that are named here are those of the service’s repository. Run <code>npm</code> and <code>npx</code> in a clone of it: no package of it is published.</p>`

/** Matches a document whose commands have a value that the reader fills in (src/pages/documents/documents.page.tsx). */
const HAS_VARIABLES = /```sh\n[^`]*\$(?:(?:LIVE_|GATEWAY_|MANAGEMENT_)?KEY|EMAIL)\b/
const KEY_FIELDS = `<details class="no-print">
          <summary>Fill in your keys</summary>
          <noscript><p class="notice warn">This needs JavaScript. The lines work in a shell that has the variables.</p></noscript>
          <div id="key-fields"></div>
        </details>`

function documentPage({ name, sentence, group }: Listed, at: number): string {
  const markdown = readMarkdown(name)
  const { title, anchors, beginning, parts } = renderDocument(name)
  const contents = anchors.filter(({ depth }) => depth === 2).map(({ id, html }) => item(`#${id}`, html))
  const hasContents = contents.length > 1
  const [head = '', heading = '', lead = ''] = /^(<h1>.*<\/h1>\n)(?:<p>([^]*?)<\/p>\n)?/.exec(beginning) ?? []
  return page({
    // Some documents have the name of a dashboard page.
    title: `${title} · Documents`,
    description: sentence,
    address: `/docs/${name}`,
    alternate: `<link rel="alternate" type="text/markdown" href="/docs/${name}.md" />`,
    main: `<main class="guide-main prose stack-l${hasContents ? ' has-contents' : ''}" id="page">
        <div class="stack">
          <div class="stack-s">
            ${group === QUICK_STARTS.title ? '' : `<p class="soft small">${escapeHtml(group)}</p>`}
            ${heading}
            ${lead === '' ? '' : `<p class="lead">${lead}</p>`}
          </div>
          ${hasContents ? contentsFold(contents) : ''}
          ${beginning.slice(head.length)}
          ${NAMES_REPOSITORY.test(markdown) && group !== QUICK_STARTS.title ? REPOSITORY_NOTE : ''}
          ${HAS_VARIABLES.test(markdown) ? KEY_FIELDS : ''}
        </div>
${parts}
        <p class="small no-print"><a href="/docs/${name}.md">This page as Markdown</a></p>
        <nav class="row no-print" aria-label="Next and previous">${neighbour('Previous', at - 1)}${neighbour('Next', at + 1)}</nav>
      </main>
      ${hasContents ? contentsColumn(contents) : ''}`,
  })
}

const item = (href: string, html: string, mark = ''): string =>
  `<li><a href="${href}"${mark}><span>${html}</span></a></li>`

/** The contents of a narrow window. */
const contentsFold = (contents: readonly string[]): string =>
  `<details class="only-narrow no-print"><summary>On this page</summary><nav aria-label="On this page"><ul class="menu">${contents.join('')}</ul></nav></details>`

/** The contents in their own column. A script marks the heading in view. */
const contentsColumn = (contents: readonly string[]): string =>
  `<nav class="guide-aside no-print" aria-label="On this page"><p>On this page</p><ul>${item('#page', 'Overview', ' aria-current="location"')}${contents.join('')}</ul></nav>`

/** Returns the link, or nothing before the first and after the last document. */
function neighbour(word: 'Previous' | 'Next', at: number): string {
  const listed = LISTED_DOCUMENTS[at]
  if (listed === undefined) return ''
  return `<a class="button${word === 'Next' ? ' to-end' : ''}" href="/docs/${listed.name}"><span class="soft">${word}</span> ${escapeHtml(fullLabel(listed))}</a>`
}

/** "Quick start: Developer", because "Developer" says too little outside the group. */
const fullLabel = ({ label, group }: Listed): string => (group === QUICK_STARTS.title ? `Quick start: ${label}` : label)

const QUICK_START_ICONS: Readonly<Record<string, string>> = {
  'start-developer': 'code',
  'start-gp-software': 'file',
  'start-owner': 'person',
  'start-compliance': 'list',
  'start-operator': 'gear',
}

/** The quick starts, as rows that lead to them. */
function quickStarts({ title, documents }: DocumentGroup): string {
  const rows = documents.map(
    ({ name, label, sentence }) =>
      `<li><a class="list-row row" href="/docs/${name}"><!-- icon:${QUICK_START_ICONS[name]} --><div><b>${escapeHtml(label)}</b> <span class="soft small">${escapeHtml(sentence)}</span></div></a></li>`,
  )
  return `<section class="stack-s"><h2>${title}</h2><ul class="list">${rows.join('')}</ul></section>`
}

/** The documents of another group, each in a line that is read at a glance. */
function groupSection({ title, documents }: DocumentGroup): string {
  const lines = documents.map(
    ({ name, label, sentence }) =>
      `<li><a href="/docs/${name}"><span><b>${escapeHtml(label)}</b> <span class="soft small">${escapeHtml(sentence)}</span></span></a></li>`,
  )
  return `<section class="stack-s"><h2>${escapeHtml(title)}</h2><ul class="menu">${lines.join('')}</ul></section>`
}

/** The first call of the developers' quick start in each language. */
function firstCall(): string {
  const markdown = readMarkdown('start-developer')
  const blocks = ['sh', 'python', 'js'].map((lang) => {
    const text = new RegExp(`\`\`\`${lang}\\n([^]*?)\\n\`\`\``).exec(markdown)?.[1]
    if (text === undefined) throw new Error(`docs/start-developer.md has no call in ${lang}`)
    return { text, lang }
  })
  return `<section class="stack-s"><h2>First call</h2>${codeChoices(blocks, 'first-call')}<p class="small"><a href="/app/keys">Create a key</a><span class="soft">: it is GATEWAY_KEY here. Python and Node read it, and URL, from the environment.</span></p></section>`
}

function indexPage(): string {
  return page({
    title: 'Docs',
    description: 'How to use Countersign, what it does with data, and how to check what it says.',
    address: '/docs',
    main: `<main class="guide-main stack-l" id="page">
        <div class="stack-s">
          <h1>Docs</h1>
          <p class="lead">
            Start with your role. Every operation is in the <a href="/reference">API reference</a>; a record is checked
            at <a href="/verify">Verify</a>. Programs read <a href="/llms.txt">llms.txt</a>.
          </p>
        </div>
        <div class="columns">
          ${quickStarts(QUICK_STARTS)}
          ${firstCall()}
        </div>
        <div class="text-columns">${DOCUMENT_GROUPS.filter((group) => group !== QUICK_STARTS)
          .map(groupSection)
          .join('\n')}</div>
      </main>`,
  })
}

type Page = {
  title: string
  description: string
  /** The page's path, which the side bar marks. */
  address: string
  alternate?: string
  main: string
}

const page = ({ address, ...given }: Page): string =>
  guidePage({
    ...given,
    script: '/documents/documents.page.tsx',
    side: {
      label: 'Documents',
      all: { href: '/docs', label: 'All documents' },
      address,
      groups: DOCUMENT_GROUPS.map((group) => ({
        title: group.title,
        links: group.documents.map(({ name, label }) => ({ href: `/docs/${name}`, label })),
        isOpen: address === '/docs' && group === QUICK_STARTS,
      })),
    },
  })
