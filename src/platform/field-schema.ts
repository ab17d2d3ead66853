// Reads from a zod schema what a form or a command needs to know of a value: its kind, bounds and choices.
import * as z from 'zod'

/** The part of a JSON Schema that forms and commands use. */
export type FieldSchema = {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  /** The kind of a text: an address, a day or a time. */
  format?: string
  isNullable?: boolean
  enum?: readonly (string | number)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  items?: FieldSchema
  /** The members of an object with fixed names. */
  properties?: Readonly<Record<string, FieldSchema>>
  /** The allowed names of an object's members. `each` describes every such member. */
  names?: readonly string[]
  each?: FieldSchema
}

const COPIED_MEMBERS = ['type', 'format', 'enum', 'minimum', 'maximum', 'maxLength'] as const

type JsonSchema = z.core.JSONSchema.BaseSchema

/** A kind without bounds that may be null has its kinds in a list. */
const alternativesIn = (schema: JsonSchema): readonly JsonSchema[] =>
  schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [])

function fieldOf(schema: JsonSchema): FieldSchema {
  const { items, properties, propertyNames: names, additionalProperties: each } = schema
  const [only, ...others] = alternativesIn(schema).filter(({ type }) => type !== 'null')
  if (only !== undefined && others.length === 0) return { ...fieldOf(only), isNullable: true }
  return {
    ...Object.fromEntries(COPIED_MEMBERS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
    ...(typeof items === 'object' && !Array.isArray(items) && { items: fieldOf(items) }),
    ...(properties !== undefined && { properties: fieldsOf(properties) }),
    ...(typeof names === 'object' && names.enum !== undefined && { names: names.enum.map(String) }),
    ...(typeof each === 'object' && { each: fieldOf(each) }),
  }
}

const fieldsOf = (properties: Readonly<Record<string, JsonSchema | boolean>>): Record<string, FieldSchema> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, typeof schema === 'boolean' ? {} : fieldOf(schema)]),
  )

/** Describes the value that a request may have. Without metadata, so that a schema with an id is written in its place. */
export const fieldSchemaOf = (schema: z.ZodType): FieldSchema =>
  fieldOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline', metadata: z.registry() }))
