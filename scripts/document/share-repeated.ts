// Moves headers and error responses that several operations have alike to the components of an OpenAPI document.
// src/pages/reference/inline-references.ts does the reverse.
import type { JsonObject } from '../../src/platform/json.ts'
import { mapResponses, mapValues, membersOf } from '../../src/pages/reference/inline-references.ts'
import { listOf } from './schema-facts.ts'

/** Returns the document with references to `components.headers` and `components.responses`. */
export function shareRepeated(document: object): object {
  const headers = new Repeated('headers')
  const errors = new Repeated('responses')
  mapResponses(document, (response) => {
    mapValues(response['headers'], (header, name) => headers.meet(headerName(header, name), header))
    if (isError(response)) errors.meet(errorName(response), response)
    return response
  })
  const withHeaders = (response: JsonObject): JsonObject =>
    'headers' in response
      ? { ...response, headers: mapValues(response['headers'], (header) => headers.share(header)) }
      : response
  const shared = mapResponses(document, (response) => {
    const reference = errors.share(response)
    return reference === response ? withHeaders(response) : reference
  })
  const components = {
    ...membersOf(membersOf(document)['components']),
    headers: headers.components(),
    responses: mapValues(errors.components(), withHeaders),
  }
  return { ...shared, components }
}

/** Values by their JSON, with how often each was met. A name is given to the first value that asks for it. */
class Repeated {
  readonly #kind: string
  readonly #met = new Map<string, { name: string; value: JsonObject; times: number }>()
  readonly #names = new Set<string>()

  constructor(kind: string) {
    this.#kind = kind
  }

  meet(name: string, value: JsonObject): JsonObject {
    const json = JSON.stringify(value)
    const known = this.#met.get(json)
    if (known !== undefined) known.times++
    else if (!this.#names.has(name)) this.#met.set(json, { name, value, times: 1 })
    this.#names.add(name)
    return value
  }

  /** Returns a reference if the value was met more than once, else the value. */
  share(value: JsonObject): JsonObject {
    const { name, times = 0 } = this.#met.get(JSON.stringify(value)) ?? {}
    return times > 1 ? { $ref: `#/components/${this.#kind}/${name}` } : value
  }

  components(): JsonObject {
    const repeated = [...this.#met.values()].filter(({ times }) => times > 1)
    return Object.fromEntries(repeated.map(({ name, value }) => [name, value]))
  }
}

const isError = (response: JsonObject): boolean => 'x-error-codes' in response

const headerName = ({ required }: JsonObject, name: string): string => (required === true ? name : `${name}.optional`)

/** The name of the body and of the codes, and whether the response has the headers of rate limits. */
function errorName(response: JsonObject): string {
  const { content, headers, 'x-error-codes': codes } = response
  const { schema } = membersOf(membersOf(content)['application/json'])
  const body = String(membersOf(schema)['$ref']).split('/').at(-1)
  const limit = membersOf(headers)['x-ratelimit-limit']
  const limits = limit === undefined ? [] : membersOf(limit)['required'] === true ? ['limits'] : ['limits.optional']
  return [body, ...listOf(codes), ...limits].join('.')
}
