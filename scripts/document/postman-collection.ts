// Makes a collection of the referral service's requests from its OpenAPI document, in the form that Postman and Bruno import
// (https://schema.postman.com). It has no key: its reader fills in `baseUrl` and `referralKey`.
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import {
  operationsOf,
  resolveReference,
  type ApiDocument,
  type Operation,
  type Parameter,
} from '../../src/pages/reference/openapi-document.ts'
import { bodyOf, sampleOf } from '../../src/pages/reference/request-samples.ts'
import { EXAMPLES } from '../example-letters.ts'

export const COLLECTION_PATH = '/countersign-referral.postman_collection.json'

/** The source of a path parameter in a run: an operation, and the place in its answer. */
const PATH_VALUES: Readonly<Record<string, { from: string; value: string }>> = {
  sha256: { from: 'listDatasets', value: 'datasets[0].datasetVersion.hash' },
}

/** @param referral the OpenAPI document of the referral service */
export function postmanCollection(referral: ApiDocument): object {
  const api = inlineReferences(referral)
  return {
    info: {
      name: api.info.title,
      description: api.info.description.replaceAll(/\s*%WHERE_LETTERS_GO%/g, ''),
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{referralKey}}', type: 'string' }] },
    variable: ['baseUrl', 'referralKey', ...Object.keys(PATH_VALUES)].map((key) => ({ key, value: '' })),
    item: api.tags.map(({ name, description }) => ({
      name,
      description,
      item: operationsOf(api)
        .filter(({ tags }) => tags[0] === name)
        .flatMap((operation) => itemsOf(api, operation)),
    })),
  }
}

/** A reading has an item for each kind of answer, with an example letter. */
const itemsOf = (api: ApiDocument, operation: Operation): object[] =>
  operation.operationId === 'readReferral'
    ? KINDS_OF_ANSWER.map(({ title, text, action, expected: { status, decision, code } }) =>
        itemOf(api, operation, {
          name: `${decision ?? code ?? status}: ${title}`,
          body: { text, ...(action !== null && { action }) },
          tests: [
            hasStatus([status]),
            decision === null ? hasMember('error.code', code) : hasMember('decision', decision),
          ],
        }),
      )
    : [
        itemOf(api, operation, {
          name: operation.summary,
          body: bodyOf(api, operation),
          tests: testsOf(api, operation),
        }),
      ]

const KINDS_OF_ANSWER = EXAMPLES.list.filter(
  ({ expected }, at, all) => at === all.findIndex((other) => kindOf(other.expected) === kindOf(expected)),
)

type Expected = (typeof EXAMPLES.list)[number]['expected']

/** A reading without an age group needs a question to the clinician, so it is a kind of its own. */
function kindOf({ status, decision, code, ageGroup }: Expected): string {
  return [status, decision, code, ageGroup === null].join(' ')
}

/** A request that a run can complete must succeed. Any other must have an answer that the document declares. */
function testsOf(api: ApiDocument, { operationId, method, parameters = [], responses }: Operation): string[] {
  const isComplete = method === 'GET' && parameters.every((one) => one.required !== true || isKnown(api, one))
  const statuses = Object.keys(responses)
    .map(Number)
    .filter((status) => status < (isComplete ? 300 : 500))
  const given = Object.entries(PATH_VALUES).filter(([, { from }]) => from === operationId)
  return [
    hasStatus(statuses),
    ...given.map(([name, { value }]) => `pm.collectionVariables.set('${name}', pm.response.json().${value})`),
  ]
}

const isKnown = (api: ApiDocument, one: Parameter): boolean =>
  one.in === 'path' ? one.name in PATH_VALUES : sampleTextOf(api, one) !== ''

/** Returns a value that fits the parameter, or nothing for a text of the caller's own. */
function sampleTextOf(api: ApiDocument, { schema = {} }: Parameter): string {
  const sample = String(sampleOf(api, schema))
  return sample === '…' ? '' : sample
}

const hasStatus = (statuses: readonly number[]): string =>
  `pm.test('status ${statuses.join(' or ')}', () => pm.expect(pm.response.code).to.be.oneOf(${JSON.stringify(statuses)}))`

const hasMember = (member: string, value: string | null): string =>
  `pm.test('${member} ${value}', () => pm.expect(pm.response.json().${member}).to.equal('${value}'))`

type Request = { name: string; body: unknown; tests: readonly string[] }

function itemOf(api: ApiDocument, operation: Operation, { name, body, tests }: Request): object {
  const { method, path, description = '', security, parameters = [] } = operation
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const [query = [], header = []] = (['query', 'header'] as const).map((place) =>
    parameters.filter((one) => one.in === place).map((one) => fieldOf(api, one)),
  )
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`)
  return {
    name,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: tests } }],
    request: {
      method,
      description,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: [...header, ...(body === null ? [] : [{ key: 'content-type', value: 'application/json' }])],
      ...(body !== null && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      url: {
        raw: `{{baseUrl}}/${segments}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        query,
        variable: parameters
          .filter((one) => one.in === 'path')
          .map((one) => ({
            key: one.name,
            value: one.name in PATH_VALUES ? `{{${one.name}}}` : sampleTextOf(api, one),
          })),
      },
    },
  }
}

/** A parameter that may be left out is sent if its values are few and known. */
function fieldOf(
  api: ApiDocument,
  parameter: Parameter,
): { key: string; value: string; description: string; disabled: boolean } {
  const { name, required = false, description = '', schema = {} } = parameter
  const isSent = required || resolveReference(api, schema).enum !== undefined
  return { key: name, value: isSent ? sampleTextOf(api, parameter) : '', description, disabled: !isSent }
}
