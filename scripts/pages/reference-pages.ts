// Vite plugin that makes the pages of the API reference: one for each operation, with its part of the OpenAPI document inside, and
// one that lists them all.
import { resolve } from 'node:path'
import { Marked } from 'marked'
import type { Plugin } from 'vite'
import { inlineReferences, membersOf } from '../../src/pages/reference/inline-references.ts'
import {
  collectSchemaNames,
  leadOf,
  operationsOf,
  schemasOf,
  type ApiDocument,
  type Operation,
} from '../../src/pages/reference/openapi-document.ts'
import { sampleOf } from '../../src/pages/reference/request-samples.ts'
import { isUnbroken } from '../../src/pages/text/highlight.ts'
import { ERROR_REMEDIES } from '../../src/platform/error-remedies.ts'
import { errorRow, isErrorCode } from '../../src/platform/errors.ts'
import { COLLECTION_PATH } from '../document/postman-collection.ts'
import { escapeHtml } from './escape-html.ts'
import { guidePage } from './guide-page.ts'

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

const markdown = new Marked({
  renderer: {
    html: ({ text }) => escapeHtml(text),
    codespan: ({ text }) => `<code${isUnbroken(text) ? ' class="nowrap"' : ''}>${escapeHtml(text)}</code>`,
  },
})

const inline = (text: string): string => markdown.parseInline(text, { async: false })

/** The document's own groups, with their operations. What only the operator can call comes last. */
const groupsOf = ({ tags }: ApiDocument, operations: readonly Operation[]) =>
  tags
    .map(({ name, description }) => {
      const all = operations.filter((one) => one.tags[0] === name)
      return { name, description, all, isOfOperator: all.every(needsOperatorToken) }
    })
    .filter(({ all }) => all.length > 0)
    .toSorted((a, b) => Number(a.isOfOperator) - Number(b.isOfOperator))

const needsOperatorToken = ({ security }: Operation): boolean => security.some((one) => 'operatorToken' in one)

const FOR_OPERATORS = 'For operators'

const methodOf = ({ method }: Operation): string =>
  `<span class="badge method ${method.toLowerCase()}">${method.toLowerCase()}</span>`

function operationPage(api: ApiDocument, operations: readonly Operation[], operation: Operation): string {
  const { operationId, summary, description = '', path, tags, deprecated } = operation
  const { lead, rest } = leadOf(description)
  return page(api, operations, {
    title: `${summary} · ${tags[0] ?? ''} · API reference`,
    description: `${operation.method} ${path}: ${summary}.`,
    script: 'operation',
    open: operation,
    main: `<main class="operation two-halves" id="page">
        <div class="stack">
          <div class="stack-s">
            <p class="soft small">${escapeHtml(tags[0] ?? '')}</p>
            <h1>${escapeHtml(summary)}</h1>
          </div>
          <p class="row" data-gap="2">${methodOf(operation)} <code>${escapeHtml(path)}</code>${deprecated === true ? ' <span class="badge warn">deprecated</span>' : ''}</p>
          ${lead === '' ? '' : `<p class="lead">${inline(lead)}</p>`}
          <noscript>
            <p class="notice warn">Parameters and responses are shown by JavaScript. All of it is in the <a href="/v1/openapi.json">OpenAPI document</a> too.</p>
          </noscript>
        </div>
        <div class="guide-code stack no-print">
          ${accessNote(api, operation)}
          <section class="stack" id="code" aria-label="Code"></section>
        </div>
        <div class="stack">
          <div id="island" class="stack-l tall whole">${rest === '' ? '' : markdown.parse(rest, { async: false })}</div>
          <p class="small soft">Operation <code>${operationId}</code></p>
        </div>
      </main>
      <script type="application/json" id="operation">${inScript(partOf(api, operation))}</script>`,
  })
}

/** The needs of a request, by the name of the security scheme. */
const NEEDS: Readonly<Record<string, { what: string; link: string }>> = {
  referralKey: {
    what: 'a key of the referral service (`vk_test_…` or `vk_live_…`)',
    link: '[Get a key](/docs/start-gp-software)',
  },
  gatewayKey: { what: 'a gateway key (`aqta_…`)', link: '[Get a key](/docs/start-developer)' },
  managementKey: {
    what: 'a gateway key (`aqta_…`) with the scope `manage`',
    link: '[Create a key](/app/keys)',
  },
  session: { what: 'a person who has signed in', link: '[Sign in](/sign-in)' },
  operatorToken: { what: 'the operator’s token (`OPERATOR_TOKEN`)', link: '[Run the service](/docs/start-operator)' },
}

/** Who may call the operation. */
function accessNote({ components }: ApiDocument, { security }: Operation): string {
  const schemes = security.map((one) => Object.keys(one)[0])
  const needs = schemes
    .filter((name) => name !== undefined)
    .map((name, at) => {
      const { what, link } = NEEDS[name] ?? { what: components.securitySchemes[name]?.description ?? name, link: '' }
      return `<li>${inline(`${at === 0 ? 'Needs' : 'Or'} ${what}. ${link}`)}</li>`
    })
  const open = schemes.length === 0 ? '<li>No key is needed.</li>' : ''
  const also = schemes.includes(undefined) ? '<li>Also without a key and without a session.</li>' : ''
  return `<div class="notice with-sign"><!-- icon:key --><ul class="plain" aria-label="Who may call it">${open}${needs.join('')}${also}</ul></div>`
}

/** The document with this operation alone, and the schemas that it consists of. */
function partOf(api: ApiDocument, operation: Operation): ApiDocument {
  const { method, path, responses, ...declared } = operation
  const described = { ...declared, responses: withErrorExamples(api, responses) }
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

/** The responses with an example of each error: of the first code that its status has. */
function withErrorExamples(api: ApiDocument, responses: Operation['responses']): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const code = response['x-error-codes']?.find(isErrorCode)
      const { schema, example } = response.content?.['application/json'] ?? {}
      if (code === undefined || schema === undefined || example !== undefined) return [status, response]
      const { error, ...beside } = membersOf(sampleOf(api, schema))
      const { cause, remedy } = ERROR_REMEDIES[code]
      const message = plainText(`${cause} ${remedy}`)
      const ofCode = { error: { ...membersOf(error), message, type: errorRow(code).type, code }, ...beside }
      return [status, { ...response, content: { 'application/json': { schema, example: ofCode } } }]
    }),
  )
}

/** Markdown without its marks, and without what links to another page in brackets. */
const plainText = (text: string): string =>
  text
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')

/** JSON in an element that no text can end. */
const inScript = (value: object): string => JSON.stringify(value).replaceAll('<', String.raw`\u003c`)

/** A path that a narrow column breaks before a slash. */
const breakable = (path: string): string => escapeHtml(path).replaceAll(/(?<=.)\//g, '<wbr>/')

function indexPage(api: ApiDocument, operations: readonly Operation[]): string {
  const groups = groupsOf(api, operations)
  const foldsOf = (ofOperator: boolean): string =>
    groups
      .filter(({ isOfOperator }) => isOfOperator === ofOperator)
      .map(({ name, description, all }) => {
        const rows = all.map(
          (one) =>
            `<li><a class="list-row row" href="/reference/${one.operationId}">${methodOf(one)} <div class="columns" data-least="9" data-gap="1"><span>${escapeHtml(one.summary)}</span> <code class="soft small">${breakable(one.path)}</code></div></a></li>`,
        )
        return `<details${name === groups[0]?.name ? ' open' : ''}>
            <summary><h3 id="${groupId(name)}">${escapeHtml(name)}</h3> <span class="soft small">${inline(description)}</span></summary>
            <ul class="list">${rows.join('')}</ul>
          </details>`
      })
      .join('\n')
  return page(api, operations, {
    title: 'API reference',
    description: 'Every operation of the API, with its parameters, responses and errors, and code to paste.',
    script: 'reference',
    open: null,
    main: `<main class="guide-main stack-l" id="page">
        <div class="stack-s">
          <h1>API reference</h1>
          <p class="lead">
            All ${operations.length} operations, as in the <a href="/v1/openapi.json">OpenAPI document</a>.
            <a href="/v1/referral/openapi.json">The referral service alone</a> is a document of its own, with a
            <a href="${COLLECTION_PATH}">collection for Bruno and Postman</a> and
            <a href="/docs/integrate-readings">clients to copy</a>.
          </p>
        </div>
        <section class="stack" aria-labelledby="before-you-call">
          <h2 id="before-you-call">Before you call</h2>
          ${BASICS}
          <details>
            <summary>The two services, where the text goes, and how to get a key</summary>
            ${markdown.parse(api.info.description, { async: false })}
          </details>
        </section>
        <section class="stack-s" aria-labelledby="operations">
          <h2 id="operations">Operations</h2>
          <input class="no-print" type="search" id="find" placeholder="Find an operation in this list" aria-label="Find an operation in this list" autocomplete="off" disabled />
          <p class="soft small" role="status" id="found"></p>
          <div class="folds">${foldsOf(false)}</div>
        </section>
        <section class="stack-s" aria-labelledby="for-operators">
          <h2 id="for-operators">${FOR_OPERATORS}</h2>
          <p class="soft">The operator’s token calls these, and no key of an organisation does.</p>
          <div class="folds">${foldsOf(true)}</div>
        </section>
      </main>`,
  })
}

/** What every call needs. The page's script writes the origin and adds the button. */
const BASICS = `<div class="code">
            <div class="code-bar"><span class="code-title">Base URL</span><span id="copy-base"></span></div>
            <pre tabindex="0" aria-label="Base URL"><code id="base">https://…</code></pre>
          </div>
          <dl class="facts">
            <dt>OpenAI clients</dt><dd><code id="base-of-clients">https://…/v1</code></dd>
            <dt>Keys</dt><dd><code>aqta_</code> gateway, <code>vk_live_</code> referral service, <code>vk_test_</code> sandbox for invented letters</dd>
            <dt>Errors</dt><dd>Each has a status and a code: <a href="/docs/errors">what each means, and what to do</a></dd>
            <dt>Quick starts</dt><dd class="row"><a href="/docs/start-developer">Call a model</a> <a href="/docs/start-gp-software">Read a letter</a> <a href="/docs/start-owner">Set up an organisation</a></dd>
          </dl>`

const groupId = (tag: string): string => `group-${tag.toLowerCase().replaceAll(' ', '-')}`

type Page = { title: string; description: string; script: string; open: Operation | null; main: string }

const page = (api: ApiDocument, operations: readonly Operation[], { script, open, ...given }: Page): string =>
  guidePage({
    ...given,
    script: `/reference/${script}.page.tsx`,
    side: {
      label: 'Operations',
      all: { href: '/reference', label: 'All operations' },
      address: open === null ? '/reference' : `/reference/${open.operationId}`,
      groups: groupsOf(api, operations).map(({ name, all, isOfOperator }, at) => ({
        title: name,
        isOpen: open === null && at === 0,
        before: isOfOperator ? `<p>${FOR_OPERATORS}</p>` : '',
        links: all.map((one) => ({
          href: `/reference/${one.operationId}`,
          label: one.summary,
          beside: methodOf(one),
        })),
      })),
    },
  })
