// API reference: writes a sample request of an operation as a curl command, and as a program in Python and in Node. Also makes sample values of
// schemas, and tells how an operation is authenticated.
import { CHAT, MESSAGES, nodeClient, pythonClient, pythonValue, quoted } from '../text/code-values.ts'
import { membersOf } from './inline-references.ts'
import { type ApiDocument, type Operation, type Parameter, resolveReference, type Schema } from './openapi-document.ts'

/** How to authenticate. `own_pages`: without a session, but only from a page of the service. */
type Access = 'none' | 'own_pages' | 'session' | { variable: string }

const VARIABLES: Readonly<Record<string, string>> = {
  referralKey: 'KEY',
  gatewayKey: 'GATEWAY_KEY',
  managementKey: 'MANAGEMENT_KEY',
  operatorToken: 'OPERATOR_TOKEN',
}

/** Returns how to authenticate. A key is preferred to a session, because programs have no session. */
export function accessOf({ security, method, path }: Operation): Access {
  const schemes = security.flatMap((one) => Object.keys(one))
  const variable = schemes.map((scheme) => VARIABLES[scheme]).find((name) => name !== undefined)
  if (variable !== undefined) return { variable }
  if (schemes.includes('session')) return 'session'
  return method !== 'GET' && path.startsWith('/api/') ? 'own_pages' : 'none'
}

const addressOf = (origin: string, operation: Operation, write: (variable: string) => string): string =>
  `${origin}${operation.path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => write(name.toUpperCase()))}`

const needed = ({ parameters = [] }: Operation, place: Parameter['in']): readonly Parameter[] =>
  parameters.filter((one) => one.in === place && one.required === true)

const valueOf = (document: ApiDocument, { schema = {}, name }: Parameter): string => {
  const sample = sampleOf(document, schema)
  return typeof sample === 'number' || (typeof sample === 'string' && sample !== '…') ? String(sample) : `<${name}>`
}

function queryOf(document: ApiDocument, operation: Operation): string {
  const members = needed(operation, 'query').map((one) => [one.name, valueOf(document, one)])
  return members.length === 0 ? '' : `?${new URLSearchParams(members).toString()}`
}

/** Returns a sample body, or null if the operation takes no JSON body. */
export function bodyOf(document: ApiDocument, { requestBody }: Operation): unknown {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined ? null : sampleOf(document, schema)
}

/** The media type of a body that is a file, or null. */
const fileTypeOf = ({ requestBody }: Operation): string | null =>
  Object.keys(requestBody?.content ?? {}).find((type) => type !== 'application/json') ?? null

type Pair = readonly [name: string, value: string]

const headersOf = (document: ApiDocument, origin: string, operation: Operation): readonly Pair[] => [
  ...needed(operation, 'header').map((one) => [one.name, valueOf(document, one)] as const),
  ...(typeof accessOf(operation) === 'string' && operation.method !== 'GET' ? [['origin', origin] as const] : []),
  ...(operation.requestBody === undefined
    ? []
    : [['content-type', fileTypeOf(operation) ?? 'application/json'] as const]),
]

export function curlLine(document: ApiDocument, origin: string, operation: Operation): string {
  const access = accessOf(operation)
  const body = bodyOf(document, operation)
  const command = `curl -s${operation.method === 'GET' ? '' : ` -X ${operation.method}`}`
  const address = `"${addressOf(origin, operation, (name) => `$${name}`)}${queryOf(document, operation)}"`
  const parts = [
    ...(command.length + address.length < MOST_IN_LINE ? [`${command} ${address}`] : [command, address]),
    ...(typeof access === 'object' ? [`-H "authorization: Bearer $${access.variable}"`] : []),
    ...(access === 'session' ? ['-b cookies.txt'] : []),
    // Such a request starts or ends a session.
    ...(access === 'own_pages' ? ['-b cookies.txt -c cookies.txt'] : []),
    ...headersOf(document, origin, operation).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`]),
    ...(fileTypeOf(operation) === null ? [] : ['--data-binary @FILE']),
  ]
  return parts.join(' \\\n  ')
}

/** Characters that a line of code shows without scrolling. */
const MOST_IN_LINE = 56

/** The operations that the packages of OpenAI and Anthropic call. */
const SDK_METHODS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': CHAT,
  '/v1/messages': MESSAGES,
  '/v1/responses': 'responses.create',
}

export function nodeLines(document: ApiDocument, origin: string, operation: Operation): string {
  const method = SDK_METHODS[operation.path]
  if (method === undefined) return fetchLines(document, origin, operation)
  const given = [JSON.stringify(bodyOf(document, operation), null, 2)]
  return nodeClient({ origin, key: 'process.env.GATEWAY_KEY', method, given, after: ['console.log(answer.aqta)'] })
}

export function pythonLines(document: ApiDocument, origin: string, operation: Operation): string {
  const method = SDK_METHODS[operation.path]
  if (method === undefined) return requestsLines(document, origin, operation)
  const members = Object.entries(membersOf(bodyOf(document, operation)))
  const given = members.map(([name, value]) => `${name}=${pythonValue(value, '    ')}`)
  return pythonClient({ origin, key: 'os.environ["GATEWAY_KEY"]', method, given, after: ['print(answer.aqta)'] })
}

const pythonVariable = (name: string): string => `{os.environ['${name}']}`

function requestsLines(document: ApiDocument, origin: string, operation: Operation): string {
  const access = accessOf(operation)
  const body = bodyOf(document, operation)
  const address = `${addressOf(origin, operation, pythonVariable)}${queryOf(document, operation)}`
  const headers = [
    ...(typeof access === 'object' ? [`"authorization": f"Bearer ${pythonVariable(access.variable)}"`] : []),
    ...headersOf(document, origin, operation)
      // The package sets it for what is given as `json`.
      .filter(([name, value]) => name !== 'content-type' || value !== 'application/json')
      .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`),
  ]
  const given = [
    `${address.includes('{os.environ') ? 'f' : ''}"${address}"`,
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(access === 'session' ? [`cookies={"__Host-session": os.environ["SESSION"]}`] : []),
    ...(body === null ? [] : [`json=${pythonValue(body, '    ')}`]),
    ...(fileTypeOf(operation) === null ? [] : ['data=open("FILE", "rb")']),
  ]
  return [
    ...(given.join().includes('os.environ') ? ['import os'] : []),
    'import requests',
    '',
    `response = requests.${operation.method.toLowerCase()}(`,
    ...given.map((one) => `    ${one},`),
    ')',
    `print(response.status_code, response.${isJson(operation) ? 'json()' : 'text'})`,
  ].join('\n')
}

function fetchLines(document: ApiDocument, origin: string, operation: Operation): string {
  const access = accessOf(operation)
  const body = bodyOf(document, operation)
  const headers = [
    ...(typeof access === 'object' ? [`authorization: \`Bearer \${process.env.${access.variable}}\``] : []),
    ...(access === 'session' ? ['cookie: `__Host-session=${process.env.SESSION}`'] : []),
    ...headersOf(document, origin, operation).map(([name, value]) => `${memberName(name)}: ${JSON.stringify(value)}`),
  ]
  const options = [
    ...(operation.method === 'GET' ? [] : [`method: '${operation.method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === null ? [] : [`body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')})`]),
    ...(fileTypeOf(operation) === null ? [] : [`body: await openAsBlob('FILE')`]),
  ]
  const address = `\`${addressOf(origin, operation, (name) => `\${process.env.${name}}`)}${queryOf(document, operation)}\``
  const call = options.length === 0 ? address : `${address}, {\n  ${options.join(',\n  ')},\n}`
  const read = fileTypeOf(operation) === null ? '' : `import { openAsBlob } from 'node:fs'\n\n`
  return `${read}const response = await fetch(${call})\nconsole.log(response.status, await response.${isJson(operation) ? 'json' : 'text'}())`
}

const memberName = (header: string): string => (header.includes('-') ? `'${header}'` : header)

const isJson = ({ responses }: Operation): boolean =>
  Object.entries(responses).some(
    ([status, { content }]) => status.startsWith('2') && content?.['application/json'] !== undefined,
  )

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:30:00Z',
  date: '2026-11-20',
  email: 'person@example.com',
  uri: 'https://example.com/',
  uuid: '0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
}

/** Returns a sample value. Objects get the required members, and the others that have an example. */
export function sampleOf(document: ApiDocument, schema: Schema, depth = 0): unknown {
  const one = resolveReference(document, schema)
  const inner = (of: Schema): unknown => sampleOf(document, of, depth + 1)
  if (one.example !== undefined) return one.example
  if (one.const !== undefined) return one.const
  if (one.enum !== undefined) return one.enum[0]
  if (one.default !== undefined) return one.default
  if (one.allOf !== undefined) return Object.assign({}, ...one.allOf.map(inner))
  const first = (one.oneOf ?? one.anyOf ?? []).find((choice) => choice.type !== 'null')
  if (first !== undefined) return inner(first)
  if (one.prefixItems !== undefined) return one.prefixItems.map(inner)
  switch (typeOf(one)) {
    case 'object':
      return depth > 6 ? {} : sampleObject(one, inner)
    case 'array':
      return one.items === undefined || depth > 6 ? [] : [inner(one.items)]
    case 'string':
      return BY_FORMAT[one.format ?? ''] ?? '…'
    case 'integer':
    case 'number':
      return one.minimum ?? (one.exclusiveMinimum ?? -1) + 1
    case 'boolean':
      return false
    case undefined:
    default:
      return null
  }
}

function sampleObject({ properties = {}, required = [] }: Schema, inner: (of: Schema) => unknown): object {
  const shown = Object.entries(properties).filter(
    ([name, member]) => required.includes(name) || member.example !== undefined,
  )
  return Object.fromEntries(shown.map(([name, member]) => [name, inner(member)]))
}

const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'string' ? type : type?.find((one) => one !== 'null')
