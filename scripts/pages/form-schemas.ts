// Vite plugin that gives the pages' forms the service's rules for each field: kinds, bounds and choices. Pages load no zod.
import type { Plugin } from 'vite'
import * as z from 'zod'
import { CreateInvitationSchema } from '../../src/accounts/members/members.schema.ts'
import { DecideApprovalSchema } from '../../src/management/approvals/approvals.schema.ts'
import { MakeStatementSchema } from '../../src/management/compliance/compliance.schema.ts'
import { CreateGatewayKeySchema } from '../../src/keys/key.schema.ts'
import { SetWebhookSchema } from '../../src/management/notifications/notifications.schema.ts'
import { UpdateSettingsSchema } from '../../src/management/settings/settings.schema.ts'
import { PolicyDocumentSchema } from '../../src/policies/document/policy-document.ts'

const SCHEMAS = {
  decision: DecideApprovalSchema,
  invitation: CreateInvitationSchema,
  key: CreateGatewayKeySchema,
  policy: PolicyDocumentSchema,
  settings: UpdateSettingsSchema,
  statement: MakeStatementSchema,
  webhook: SetWebhookSchema,
}

/** The part of a JSON Schema that forms use. */
export type FieldSchema = {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
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

/** The members of each form. @public */
export type FormSchemas = {
  [Form in keyof typeof SCHEMAS]: Readonly<Record<keyof z.input<(typeof SCHEMAS)[Form]>, FieldSchema>>
}

const COPIED_MEMBERS = ['type', 'enum', 'minimum', 'maximum', 'maxLength'] as const

type JsonSchema = z.core.JSONSchema.BaseSchema

function fieldOf(schema: JsonSchema): FieldSchema {
  const { anyOf, items, properties, propertyNames: names, additionalProperties: each } = schema
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
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

const PREFIX = 'virtual:form-schema/'

/** Returns undefined if there is no such form. */
export const formSchemaOf = (form: string): FieldSchema | undefined => {
  const schema = Object.entries(SCHEMAS).find(([name]) => name === form)?.[1]
  // Without metadata, so that a schema with an id is written in its place and not by reference.
  return (
    schema &&
    fieldOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline', metadata: z.registry() }))
  )
}

/** Makes a module for each form, so that a page loads only those that it has. */
export const formSchemas: Plugin = {
  name: 'form-schemas',
  resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
  load: (id) => {
    const form = id.startsWith(`\0${PREFIX}`) ? formSchemaOf(id.slice(PREFIX.length + 1)) : undefined
    return form === undefined ? null : `export default ${JSON.stringify(form.properties)}`
  },
}
