// Types and functions for the OpenAPI 3.1 document, as far as the API reference reads it.

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  prefixItems?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  example?: unknown
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export type Parameter = {
  name: string
  in: 'query' | 'header' | 'path' | 'cookie'
  required?: boolean
  description?: string
  schema?: Schema
}

type Content = Readonly<Record<string, { schema?: Schema }>>

export type Response = {
  description: string
  'x-error-codes'?: readonly string[]
  headers?: Readonly<Record<string, { description?: string; required?: boolean; schema?: Schema }>>
  content?: Content
}

type Described = {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  deprecated?: boolean
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Readonly<Record<string, Response>>
}

export type Operation = Described & { method: string; path: string }

export type ApiDocument = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    securitySchemes: Readonly<Record<string, { description?: string }>>
  }
}

export const operationsOf = ({ paths }: ApiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      Object.assign({ method: method.toUpperCase(), path }, described),
    ),
  )

const PREFIX = '#/components/schemas/'

/** Returns the name of the schema that a reference names, or null if the schema is no reference. */
export const nameOf = ({ $ref }: Schema): string | null =>
  $ref?.startsWith(PREFIX) === true ? $ref.slice(PREFIX.length) : null

/** Returns the schema that a reference names. Members beside the reference take precedence over the schema's own. */
export function resolved(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema)
  if (name === null) return schema
  const { $ref: _, ...said } = schema
  return { ...document.components.schemas[name], ...said }
}

/** Returns the only alternative to null, with the members of both. Only resolves other schemas. */
export function otherThanNull(document: ApiDocument, schema: Schema): Schema {
  const { anyOf, ...said } = resolved(document, schema)
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only === undefined || others.length > 0) return resolved(document, schema)
  return { ...resolved(document, only), ...said }
}

/** Returns the schemas directly inside a schema. */
const within = (schema: Schema): readonly Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...[schema.items, schema.additionalProperties].flatMap((one) => (typeof one === 'object' ? [one] : [])),
  ...[schema.prefixItems, schema.anyOf, schema.oneOf, schema.allOf].flatMap((some) => some ?? []),
]

/** Returns the names of all schemas that a schema consists of. */
export function namesIn(document: ApiDocument, schema: Schema, met: Set<string> = new Set()): Set<string> {
  const name = nameOf(schema)
  if (name !== null) {
    if (met.has(name)) return met
    met.add(name)
  }
  for (const inner of within(resolved(document, schema))) namesIn(document, inner, met)
  return met
}

/** Returns the schemas of an operation's requests and responses. */
export const schemasOf = ({ requestBody, responses, parameters = [] }: Operation): readonly Schema[] => [
  ...[requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)].flatMap((content) =>
    Object.values(content).flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
  ),
  ...parameters.flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
]
