// Vite plugin that makes the pages of the API reference: one for each operation, with its part of the OpenAPI document inside, and
// one that lists them all.
import { resolve } from 'node:path'
import { Marked } from 'marked'
import type { Plugin } from 'vite'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import {
  collectSchemaNames,
  operationsOf,
  schemasOf,
  type ApiDocument,
  type Operation,
} from '../../src/pages/reference/openapi-document.ts'
import { escapeHtml } from './escape-html.ts'

/** The HTML of each file. @param document the OpenAPI document of this build */
export function referencePagesOf(document: ApiDocument): ReadonlyMap<string, string> {
  const api = inlineReferences(document)
  const operations = operationsOf(api)
  return new Map([
    ['reference.html', indexPage(api, operations)],
    ...operations.map((one) => [`reference/${one.operationId}.html`, operationPage(api, operations, one)] as const),
  ])
}

/** Returns the plugin. @param root the folder of the HTML pages, which has none of these as files */
export function referencePages(root: string, pages: ReadonlyMap<string, string>): Plugin {
  const files = new Map([...pages].map(([file, html]) => [resolve(root, file), html]))
  return {
    name: 'reference-pages',
    enforce: 'pre',
    resolveId: (id) => (files.has(id) ? id : null),
    load: (id) => files.get(id) ?? null,
  }
}

const markdown = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } })

const inline = (text: string): string => markdown.parseInline(text, { async: false })

/** The document's own groups, with their operations. */
const groupsOf = ({ tags }: ApiDocument, operations: readonly Operation[]) =>
  tags
    .map(({ name, description }) => ({ name, description, all: operations.filter((one) => one.tags[0] === name) }))
    .filter(({ all }) => all.length > 0)

const methodOf = ({ method }: Operation): string =>
  `<span class="method ${method.toLowerCase()}">${method.toLowerCase()}</span>`

const SHORT_METHODS: Readonly<Record<string, string>> = { DELETE: 'DEL' }

/** All operations by group. In a narrow window they are behind a fold. */
function sideBar(api: ApiDocument, operations: readonly Operation[], open: string | null): string {
  const groups = groupsOf(api, operations).map(
    ({ name, all }) =>
      `<p>${escapeHtml(name)}</p><ul>${all
        .map(
          ({ operationId, summary, method }) =>
            `<li><a href="/reference/${operationId}"${operationId === open ? ' aria-current="page"' : ''}><span>${escapeHtml(summary)}</span> <span class="verb ${method.toLowerCase()}">${SHORT_METHODS[method] ?? method}</span></a></li>`,
        )
        .join('')}</ul>`,
  )
  const search = `<button type="button" class="button find" data-act="search" hidden><!-- icon:search --><span>Search ${operations.length} operations</span></button>`
  return `<nav class="guide-nav operations no-print" aria-label="Operations">
        <details class="guide-fold only-narrow"><summary>All operations</summary>${groups.join('')}</details>
        <div class="no-narrow">${search}<ul><li><a href="/reference"${open === null ? ' aria-current="page"' : ''}>All operations</a></li></ul>${groups.join('')}</div>
      </nav>`
}

function operationPage(api: ApiDocument, operations: readonly Operation[], operation: Operation): string {
  const { operationId, summary, description = '', path, tags, deprecated } = operation
  return page({
    title: `${summary} · ${tags[0] ?? ''} · API reference`,
    description: `${operation.method} ${path}: ${summary}.`,
    script: 'operation',
    body: `${sideBar(api, operations, operationId)}
      <main class="guide-main operation" id="page">
        <p class="eyebrow">${escapeHtml(tags[0] ?? '')}</p>
        <h1>${escapeHtml(summary)}</h1>
        <p class="endpoint">${methodOf(operation)} <code>${escapeHtml(path)}</code>${deprecated === true ? ' <span class="badge warn">deprecated</span>' : ''}</p>
        <div class="stack described">${markdown.parse(description, { async: false })}</div>
        ${accessNote(api, operation)}
        <noscript>
          <p class="notice warn">Parameters and answers are shown by JavaScript. All of it is in the <a href="/v1/openapi.json">OpenAPI document</a> too.</p>
        </noscript>
        <div id="island" class="stack-l"></div>
        <p class="small soft">Operation <code>${operationId}</code></p>
      </main>
      <aside class="guide-code no-print" id="code" aria-label="Code"></aside>
      <script type="application/json" id="operation">${inScript(partOf(api, operation))}</script>`,
  })
}

/** Who may call the operation. */
function accessNote({ components }: ApiDocument, { security }: Operation): string {
  const schemes = security.map((one) => Object.keys(one)[0])
  const described = schemes.flatMap((name) =>
    name === undefined
      ? []
      : [`<li><code>${name}</code>: ${inline(components.securitySchemes[name]?.description ?? '')}</li>`],
  )
  const open = schemes.length === 0 ? '<li>Anybody may call it: no key is needed.</li>' : ''
  const also = schemes.includes(undefined) ? '<li>Also without a key and without a session.</li>' : ''
  return `<div class="notice access"><!-- icon:key --><ul class="plain stack-s" aria-label="Who may call it">${open}${described.join('')}${also}</ul></div>`
}

/** The document with this operation alone, and the schemas that it consists of. */
function partOf(api: ApiDocument, operation: Operation): ApiDocument {
  const { method, path, ...described } = operation
  const names = new Set<string>()
  for (const schema of schemasOf(operation)) collectSchemaNames(api, schema, names)
  return {
    info: { title: api.info.title, version: api.info.version, description: '' },
    tags: [],
    paths: { [path]: { [method.toLowerCase()]: described } },
    components: {
      schemas: Object.fromEntries(Object.entries(api.components.schemas).filter(([name]) => names.has(name))),
      securitySchemes: {},
    },
  }
}

/** JSON in an element that no text can end. */
const inScript = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

function indexPage(api: ApiDocument, operations: readonly Operation[]): string {
  const groups = groupsOf(api, operations).map(
    ({ name, description, all }) => `<section class="stack-s" aria-labelledby="${groupId(name)}">
          <h2 id="${groupId(name)}">${escapeHtml(name)}</h2>
          <p class="soft">${inline(description)}</p>
          <ul class="plain operation-list">${all
            .map(
              (one) =>
                `<li><a href="/reference/${one.operationId}">${methodOf(one)} <span>${escapeHtml(one.summary)}</span> <code>${escapeHtml(one.path)}</code></a></li>`,
            )
            .join('')}</ul>
        </section>`,
  )
  return page({
    title: 'API reference',
    description:
      'Every operation of the referral service and the gateway, with its parameters, answers and errors, and code to paste.',
    script: 'reference',
    body: `${sideBar(api, operations, null)}
      <main class="guide-main reference-index" id="page">
        <div class="stack-s">
          <h1>API reference</h1>
          <p class="lead">
            All ${operations.length} operations of both services, as the <a href="/v1/openapi.json">OpenAPI document</a> has
            them. New here? Begin with a quick start: <a href="/docs/start-developer">developer</a> or
            <a href="/docs/start-gp-software">GP software</a>.
          </p>
        </div>
        <div class="stack">${markdown.parse(api.info.description, { async: false })}</div>
        ${groups.join('\n')}
      </main>`,
  })
}

const groupId = (tag: string): string => `group-${tag.toLowerCase().replaceAll(' ', '-')}`

type Page = { title: string; description: string; script: string; body: string }

const page = ({ title, description, script, body }: Page): string => `<!doctype html>
<html lang="en-IE">
  <head>
    <!-- frame:head -->
    <!-- frame:mono -->
    <title>${escapeHtml(title)} · Countersign</title>
    <meta name="description" content="${escapeHtml(description)}" />
    <script type="module" src="/reference/${script}.page.tsx"></script>
  </head>
  <body>
    <!-- frame:top -->
    <div class="guide">
      ${body}
    </div>
    <!-- frame:foot -->
  </body>
</html>
`
