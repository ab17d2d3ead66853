// Vite plugin that makes HTML pages from the documents in docs/ that users need, and a page that lists them.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { DOCUMENT_GROUPS, PUBLISHED_DOCUMENTS } from './published-documents.ts'
import { escapeHtml, renderMarkdown, titleOf, type OtherDocuments, type RenderedDocument } from './render-markdown.ts'

const DOCUMENTS = resolve(import.meta.dirname, '../../docs')

const readMarkdown = (name: string): string => readFileSync(resolve(DOCUMENTS, `${name}.md`), 'utf8')

const otherDocuments: OtherDocuments = {
  titleOf: (name) => titleOf(readMarkdown(name)),
  isPublished: (name) => PUBLISHED_DOCUMENTS.includes(name),
}

export const renderDocument = (name: string): RenderedDocument => renderMarkdown(readMarkdown(name), otherDocuments)

/** The HTML of each file, made when it is needed. */
const PAGES: ReadonlyMap<string, () => string> = new Map([
  ['docs.html', indexPage],
  ...DOCUMENT_GROUPS.flatMap(({ documents }) =>
    Object.entries(documents).map(
      ([name, sentence]) => [`docs/${name}.html`, () => documentPage(name, sentence)] as const,
    ),
  ),
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
  }
}

/** Matches a document that names files or commands of the repository. */
const NAMES_REPOSITORY = /\bnp[mx] |`(?:src|test|scripts|data)\//
const REPOSITORY_NOTE = `<p class="small soft">Files that are named here, and commands with <code>npm</code> or <code>npx</code>, are those of the service’s repository.</p>`

/** Matches a document with lines that call the service. */
const HAS_VARIABLES = /```sh\n[^`]*\$URL\b/
const KEY_FIELDS = `<details class="no-print">
          <summary>Put your keys and the address into the lines of this page</summary>
          <noscript><p class="notice warn">This needs JavaScript. The lines work in a shell that has the variables.</p></noscript>
          <div id="key-fields"></div>
        </details>`

function documentPage(name: string, sentence: string): string {
  const { title, anchors, beginning, parts } = renderDocument(name)
  const contents = anchors.filter(({ depth }) => depth === 2).map(({ id, html }) => item(`#${id}`, html))
  return page({
    // Some documents have the name of a dashboard page.
    title: `${title} · Documents`,
    description: sentence,
    script: '<script type="module" src="/documents/documents.page.tsx"></script>',
    main: `<div class="stack">
        <p class="small no-print"><a href="/docs">Documents</a></p>
        ${beginning}
        ${NAMES_REPOSITORY.test(readMarkdown(name)) ? REPOSITORY_NOTE : ''}
        ${HAS_VARIABLES.test(readMarkdown(name)) ? KEY_FIELDS : ''}
      </div>
      <div class="guided">
        <nav aria-label="On this page" class="no-print"><ul>${contents.join('')}</ul></nav>
        <div class="stack-l">
${parts}
        </div>
      </div>`,
  })
}

const item = (href: string, html: string): string => `<li><a href="${href}">${html}</a></li>`

function indexPage(): string {
  const groups = DOCUMENT_GROUPS.map(({ title, documents }) => {
    const listed = Object.entries(documents).map(
      ([name, sentence]) =>
        `<li><a href="/docs/${name}">${escapeHtml(otherDocuments.titleOf(name))}</a><br />${escapeHtml(sentence)}</li>`,
    )
    return `<section class="card stack"><h2>${escapeHtml(title)}</h2><ul class="plain stack-s">${listed.join('')}</ul></section>`
  })
  return page({
    title: 'Documents',
    description: 'How to use Countersign, what it does with data, and how to check what it says.',
    script: '',
    main: `<div class="stack">
        <h1>Documents</h1>
        <p class="lead">
          How to use Countersign, what it does with data, and how to check what it says. Every operation is in the
          <a href="/reference">API reference</a>; records are checked at <a href="/verify">Verify</a>.
        </p>
      </div>
      <div class="pair">${groups.join('\n')}</div>`,
  })
}

type Page = { title: string; description: string; script: string; main: string }

const page = ({ title, description, script, main }: Page): string => `<!doctype html>
<html lang="en-IE">
  <head>
    <!-- frame:head -->
    <!-- frame:mono -->
    <title>${escapeHtml(title)} · Countersign</title>
    <meta name="description" content="${escapeHtml(description)}" />
    ${script}
  </head>
  <body>
    <!-- frame:top -->
    <main class="page stack-l" id="page">
      ${main}
    </main>
    <!-- frame:foot -->
  </body>
</html>
`
