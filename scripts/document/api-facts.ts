// Prints what clients depend on in an OpenAPI document as sorted lines, which branches merge and a reviewer reads.
import { canonicalJson } from '../../src/evidence/records/canonical-json.ts'
import { isJsonObject, type JsonObject } from '../../src/platform/json.ts'
import { inlineReferences, membersOf } from '../../src/pages/reference/inline-references.ts'
import { listOf, schemaFacts, wordOf } from './schema-facts.ts'

/** JsonObject that only people read. The lint checks them. */
const PROSE: ReadonlySet<string> = new Set(['description', 'summary', 'title', 'example', 'examples'])

/** Components that are facts of the operations that refer to them. */
const INLINED: ReadonlySet<string> = new Set(['headers', 'parameters', 'requestBodies', 'responses'])

/**
 * Returns the facts, sorted and each once. Every member of the document is part of one, except prose: a member that has no words
 * of its own here is printed as `name=value`. The order of members, enum values and variants is no fact.
 */
export function apiFacts(document: object): string[] {
  const { components, paths, servers, tags, security, info, ...others } = membersOf(inlineReferences(document))
  const { schemas, securitySchemes, ...otherComponents } = membersOf(components)
  const kept = Object.entries(otherComponents).filter(([name]) => !INLINED.has(name))
  const facts = [
    ...memberFacts('document', others),
    ...memberFacts('document info', membersOf(info)),
    ...listOf(servers).flatMap((server) => memberFacts('document server', membersOf(server))),
    ...listOf(tags).flatMap((tag) => memberFacts('document tag', membersOf(tag))),
    ...securityFacts('document', security),
    ...memberFacts('document components', Object.fromEntries(kept)),
    ...entriesOf(securitySchemes).flatMap(([name, scheme]) => memberFacts(`security ${name}`, membersOf(scheme))),
    ...entriesOf(schemas).flatMap(([name, schema]) => schemaFacts(name, membersOf(schema))),
    ...entriesOf(paths).flatMap(([path, methods]) =>
      entriesOf(methods).flatMap(([method, operation]) =>
        operationFacts(`${method.toUpperCase()} ${path}`, membersOf(operation)),
      ),
    ),
  ]
  return [...new Set(facts)].toSorted()
}

function operationFacts(name: string, operation: JsonObject): string[] {
  const { tags, security, parameters, requestBody, responses, ...others } = operation
  return [
    ...listOf(tags).map((tag) => `${name} tag ${wordOf(tag)}`),
    ...securityFacts(name, security),
    ...listOf(parameters).flatMap((parameter) => parameterFacts(name, membersOf(parameter))),
    ...(requestBody === undefined ? [] : bodyFacts(`${name} takes body`, membersOf(requestBody))),
    ...entriesOf(responses).flatMap(([status, response]) => responseFacts(`${name} ${status}`, membersOf(response))),
    ...memberFacts(name, others),
  ]
}

/** Each requirement is one way to show who is calling. No requirement lets everybody call. */
function securityFacts(name: string, security: unknown): string[] {
  if (security === undefined) return []
  const ways = listOf(security).map((way) =>
    entriesOf(way)
      .map(([scheme, scopes]) => (listOf(scopes).length === 0 ? scheme : `${scheme}${canonicalJson(scopes)}`))
      .toSorted()
      .join(' and '),
  )
  return (ways.length === 0 ? ['none'] : ways).map((way) => `${name} security ${way === '' ? 'none' : way}`)
}

function parameterFacts(operation: string, { in: place, name, ...parameter }: JsonObject): string[] {
  return valueFacts(`${operation} takes ${wordOf(place)} ${wordOf(name)}`, parameter)
}

function bodyFacts(name: string, { content, required, ...others }: JsonObject): string[] {
  return [...contentFacts(name, content, required), ...memberFacts(name, others)]
}

function responseFacts(name: string, response: JsonObject): string[] {
  const { headers, content, 'x-error-codes': codes, ...others } = response
  const envelope = listOf(codes).length === 0 ? null : envelopeOf(content)
  return [
    ...(content === undefined ? [`${name} no body`] : []),
    ...(envelope === null ? contentFacts(`${name} body`, content, true) : []),
    ...listOf(codes).map((code) => `${name} code ${wordOf(code)}${envelope === null ? '' : ` in ${envelope}`}`),
    ...entriesOf(headers).flatMap(([header, declared]) => valueFacts(`${name} header ${header}`, membersOf(declared))),
    ...memberFacts(name, others),
  ]
}

/** The type of a body that is JSON and of a named schema. Most errors are, and a line for each would say little. */
function envelopeOf(content: unknown): string | null {
  const [[type, media] = [], ...others] = entriesOf(content)
  const { schema, ...rest } = membersOf(media)
  const { $ref, ...said } = membersOf(schema)
  const isPlain = type === 'application/json' && $ref !== undefined && [...others, rest, said].every(isEmpty)
  return isPlain ? schemaFacts('', { $ref }).join('').trim() : null
}

const contentFacts = (name: string, content: unknown, required: unknown): string[] =>
  entriesOf(content).flatMap(([type, media]) => valueFacts(`${name} ${type}`, { ...membersOf(media), required }))

const valueFacts = (name: string, { schema, required, ...others }: JsonObject): string[] => [
  ...schemaFacts(name, membersOf(schema), required === true),
  ...memberFacts(name, others),
]

/** The facts of members that have no words of their own. */
const memberFacts = (name: string, members: JsonObject): string[] =>
  Object.entries(members)
    .filter(([member, value]) => !PROSE.has(member) && value !== undefined && !isEmpty(value))
    .map(([member, value]) => `${name} ${member} ${wordOf(value)}`)

const isEmpty = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0

const entriesOf = (value: unknown): [string, unknown][] => Object.entries(membersOf(value))
