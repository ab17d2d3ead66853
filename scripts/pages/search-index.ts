// Vite plugin that makes the file which the pages' search reads: each section of each published document, and each operation of the
// API. A prepared index of MiniSearch would be larger than the texts, so the browser makes the index of these entries.
import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import {
  collectSchemaNames,
  operationsOf,
  schemasOf,
  type ApiDocument,
} from '../../src/pages/reference/openapi-document.ts'
import type { OperationEntry, SearchFile } from '../../src/pages/search/search-file.ts'
import { renderDocument } from './document-pages.ts'
import { LISTED_DOCUMENTS } from './published-documents.ts'

const EXCERPT_LENGTH = 140
/** The rarest words of a section that its excerpt does not have. More would make the file larger than 60 KB. */
const MOST_WORDS = 40

/** Words that people search for and the section does not have, by its address below /docs. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'integrate-readings#show-the-answer': 'null age group missing unknown disagree differ adult child',
  'integrate-readings#actions': 'held actions refused refuses forbidden limits cannot not never service',
  'integrate-readings#wait-and-retry':
    'timeout time limit latency slow how long does take wait answer retry repeat again same letter twice send resend reading idempotency',
  'integrate-readings#go-live': 'production pilot onboarding launch',
  'read-letters#purpose': 'intended use MDR CE mark CE-marked clinical safety regulated',
  'call-models#streams': 'server-sent events tool function calling example code Python',
  'call-models#what-the-service-adds-to-the-time': 'performance latency overhead fast slow speed milliseconds',
  'limits#budgets': 'cost',
  'start-compliance#what-was-blocked-and-why': 'refused stopped',
  'check-records': 'can a third party independent independently auditor check it prove verify verification',
  'data#processors': 'sub-processor subprocessors list GDPR Article 28 DPA vendor',
  'data#a-letter':
    'where letter goes sent received receives read who OpenAI leaves leave EU Europe stored stays remains retention',
  'set-up-sign-in': 'SSO SAML OIDC Okta Keycloak 2FA MFA two-factor authentication',
  'from-day-two#upgrade': 'update release new version go back',
  'from-day-two#go-back': 'downgrade undo rollback',
  'from-day-two#watch': 'monitor alert alarm readyz',
  'check-deployment#health': 'monitoring alert uptime is service up down running liveness well status health check',
  'log-lines': 'monitoring alert observability',
  'repair-storage': 'backup back up backed disaster recovery',
  'from-day-two#back-up-and-restore': 'backup back up backed restore database point-in-time recovery disaster',
  'publish-figures': 'upload undo roll back rollback publication revert',
}

export function makeSearchFile(api: ApiDocument): SearchFile {
  const documents = LISTED_DOCUMENTS.map(({ name, group }) => ({ name, group, rendered: renderDocument(name) }))
  const sections = documents
    .flatMap(({ rendered: { beginning, parts } }, document) => splitIntoSections(beginning + parts, document))
    // Links to other documents.
    .filter(({ anchor }) => anchor !== 'next')
  const places = new Set(sections.map(placeOf))
  const gone = Object.keys(SYNONYMS).filter((place) => !places.has(place))
  if (gone.length > 0) throw new Error(`the synonyms of the search name no section: ${gone.join(', ')}`)
  const frequency = new Map<string, number>()
  for (const { text } of sections) for (const word of wordsIn(text)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarity = (word: string): number => frequency.get(word) ?? 0
  return {
    documents: documents.map(({ name, group, rendered: { title } }) => [name, title, group]),
    sections: sections.map((section) => {
      const { document, anchor, heading, prose, text } = section
      const excerpt = shorten(prose)
      const shown = wordsIn(`${heading} ${excerpt}`)
      const words = [...wordsIn(text)].filter((word) => !shown.has(word)).toSorted((a, b) => rarity(a) - rarity(b))
      const synonyms = SYNONYMS[placeOf(section)] ?? ''
      return [
        document,
        anchor,
        heading,
        excerpt,
        `${words.slice(0, MOST_WORDS).toSorted().join(' ')} ${synonyms}`.trim(),
      ]
    }),
    operations: operationEntries(api),
  }
}

/** `document` is the position of its document. */
type Section = { document: number; anchor: string; heading: string; prose: string; text: string }

const placeOf = ({ document, anchor }: Section): string =>
  `${LISTED_DOCUMENTS[document]?.name}${anchor === '' ? '' : `#${anchor}`}`

/** Splits a document's HTML at its headings. `prose` is the text without code and tables. */
function splitIntoSections(html: string, document: number): Section[] {
  return html.split(/(?=<h[1-6][ >])/).map((part) => {
    const [, level = '', anchor = '', heading = ''] = /^<h(\d)(?: id="([^"]+)")?>(.*?)<\/h\d>/.exec(part) ?? []
    const body = part
      .replace(/^<h(\d).*?<\/h\1>/, '')
      .replaceAll(/<div class="code-bar">.*?<\/div>|<svg [^]*?<\/ol>/g, '')
    return {
      document,
      anchor,
      heading: level === '1' ? '' : textOf(heading),
      prose: proseOf(body.replaceAll(/<(pre|table)\b[^]*?<\/\1>/g, ' ')),
      text: textOf(body),
    }
  })
}

/** Returns the text from its first whole sentence on. What stood before code or after it may begin or end amid one. */
function proseOf(html: string): string {
  const text = textOf(html.replaceAll(/:(?=\s*<\/p>)/g, '.'))
  // A sentence may begin with a name in code.
  const isAmid = /^\p{Ll}/u.test(text) && !/^(?:\s|<(?!code\b)[^>]*>)*<code\b/.test(html)
  return isAmid ? text.replace(/^.*?[.!?] (?=\p{Lu})/u, '') : text
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<\/?(?:a|b|code|em|strong|span|br)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the beginning of the text, to the end of a word. */
const shorten = (text: string): string =>
  text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, EXCERPT_LENGTH).replace(/\s+\S*$/, '')} …`

/** Returns the words as MiniSearch splits them. Numbers and short words are left out. */
const wordsIn = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[\s\p{P}\p{S}]+/u)
      .filter((word) => word.length > 2 && !/^\d+$/.test(word)),
  )

/** The words of an operation: its parameters, headers, error codes and schemas. */
function operationEntries(document: ApiDocument): OperationEntry[] {
  const api = inlineReferences(document)
  return operationsOf(api).map((operation) => {
    const { operationId, method, path, summary, parameters = [], responses } = operation
    const names = new Set<string>([
      ...parameters.map(({ name }) => name),
      ...Object.values(responses).flatMap((one) => one['x-error-codes'] ?? []),
    ])
    for (const schema of schemasOf(operation)) collectSchemaNames(api, schema, names)
    return [operationId, method, path, summary, [...names].toSorted().join(' ')]
  })
}

const MODULE = 'virtual:search-index'

function makeAsset(api: ApiDocument): { fileName: string; source: string } {
  const source = JSON.stringify(makeSearchFile(api))
  return { fileName: `assets/search-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.json`, source }
}

/** Emits the file under a name that follows its content, and makes the module that has the name. @param api of this build */
export function searchIndex(api: ApiDocument): Plugin {
  const asset = makeAsset(api)
  return {
    name: 'search-index',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load: (id) => (id === `\0${MODULE}` ? `export const ADDRESS = ${JSON.stringify(`/${asset.fileName}`)}` : null),
    generateBundle() {
      this.emitFile({ type: 'asset', ...asset })
    },
  }
}
