// Types of the OpenAPI document (https://spec.openapis.org/oas/v3.1.0), as far as the API reference reads it. Lists its operations
// and resolves its schemas.

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

type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>

export type Response = {
  description: string
  'x-error-codes'?: readonly string[]
  headers?: Readonly<Record<string, { description?: string; required?: boolean; schema?: Schema }>>
  content?: Content
}

type OperationObject = {
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

export type Operation = OperationObject & { method: string; path: string }

export type ApiDocument = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
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

/** The first sentence of a description, and what follows it. A sentence ends before a space, or with its paragraph. */
export function leadOf(description: string): { lead: string; rest: string } {
  const [lead = ''] = /^(?:`[^`]*`|\([^)]*\)|[^`(])*?(?:[.!?](?=\s|$)|(?=\n\n)|$)/.exec(description) ?? []
  return { lead, rest: description.slice(lead.length).trim() }
}

const PREFIX = '#/components/schemas/'

export const referencedName = ({ $ref }: Schema): string | null =>
  $ref?.startsWith(PREFIX) === true ? $ref.slice(PREFIX.length) : null

/** Returns the schema that a reference names. Members beside the reference take precedence over the schema's own. */
export function resolveReference(document: ApiDocument, schema: Schema): Schema {
  const name = referencedName(schema)
  if (name === null) return schema
  const { $ref: _, ...said } = schema
  return { ...document.components.schemas[name], ...said }
}

/** Returns a nullable schema without its null. Any other schema is only resolved. */
export function withoutNull(document: ApiDocument, schema: Schema): Schema {
  const { anyOf, ...said } = resolveReference(document, schema)
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only === undefined || others.length > 0) return resolveReference(document, schema)
  return { ...resolveReference(document, only), ...said }
}

/** Returns the schemas directly inside a schema. */
const within = (schema: Schema): readonly Schema[] => [
  ...Object.values(schema.properties ?? {}),
  ...[schema.items, schema.additionalProperties].flatMap((one) => (typeof one === 'object' ? [one] : [])),
  ...[schema.prefixItems, schema.anyOf, schema.oneOf, schema.allOf].flatMap((some) => some ?? []),
]

/** Returns the names of all schemas that a schema consists of. */
export function collectSchemaNames(
  document: ApiDocument,
  schema: Schema,
  seenNames: Set<string> = new Set(),
): Set<string> {
  const name = referencedName(schema)
  if (name !== null) {
    if (seenNames.has(name)) return seenNames
    seenNames.add(name)
  }
  for (const inner of within(resolveReference(document, schema))) collectSchemaNames(document, inner, seenNames)
  return seenNames
}

export const schemasOf = ({ requestBody, responses, parameters = [] }: Operation): readonly Schema[] => [
  ...[requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)].flatMap((content) =>
    Object.values(content).flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
  ),
  ...parameters.flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
]
