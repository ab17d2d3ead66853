// Vite plugin that gives the pages' forms the service's rules for each field: kinds, bounds and choices. Pages load no zod.
import type { Plugin } from 'vite'
import * as z from 'zod'
import { rowsSetBy } from '../../src/accounts/organisation-settings.schema.ts'
import {
  OutputLimitSchema,
  StreamSchema,
  TemperatureSchema,
} from '../../src/gateway/operations/chat/chat-request.schema.ts'
import { PutPolicySchema } from '../../src/management/policies/policies.schema.ts'
import { CreateInvitationSchema } from '../../src/accounts/members/members.schema.ts'
import { DecideApprovalSchema } from '../../src/management/approvals/approvals.schema.ts'
import { MakeStatementSchema, ReportPeriodSchema } from '../../src/management/compliance/compliance.schema.ts'
import { CreateGatewayKeySchema } from '../../src/keys/key.schema.ts'
import { SetWebhookSchema } from '../../src/management/notifications/notifications.schema.ts'
import { UpdateSettingsSchema } from '../../src/management/settings/settings.schema.ts'
import { PolicyDocumentSchema } from '../../src/policies/document/policy-document.ts'
import type { SettingField } from '../../src/policies/settings-table.ts'
import { fieldSchemaOf, type FieldSchema } from '../../src/platform/field-schema.ts'

const SCHEMAS = {
  chat: z.strictObject({ temperature: TemperatureSchema(), max_tokens: OutputLimitSchema(), stream: StreamSchema() }),
  decision: DecideApprovalSchema(),
  invitation: CreateInvitationSchema(),
  key: CreateGatewayKeySchema(),
  policy: PolicyDocumentSchema(),
  'policy-change': PutPolicySchema().pick({ reason: true }),
  report: ReportPeriodSchema(),
  settings: UpdateSettingsSchema(),
  statement: MakeStatementSchema(),
  webhook: SetWebhookSchema(),
}

/** A member of the settings: its rules, and its place and words on the page. */
export type SettingFieldSchema = FieldSchema & { field: SettingField | null }

/** The members of each form. @public */
export type FormSchemas = {
  [Form in keyof typeof SCHEMAS]: Readonly<
    Record<keyof z.input<(typeof SCHEMAS)[Form]>, Form extends 'settings' ? SettingFieldSchema : FieldSchema>
  >
}

const PREFIX = 'virtual:form-schema/'

/** Returns undefined if there is no such form. */
export const formSchemaOf = (form: string): FieldSchema | undefined => {
  const schema = Object.entries(SCHEMAS).find(([name]) => name === form)?.[1]
  return schema && fieldSchemaOf(schema)
}

/** Adds the places and words of the settings from their table. */
function withSettingFields(properties: FieldSchema['properties'] = {}): Record<string, SettingFieldSchema> {
  const fields = new Map(rowsSetBy('organisation').map(([member, , { field }]) => [member, field]))
  return Object.fromEntries(
    Object.entries(properties).map(([member, schema]) => [member, { ...schema, field: fields.get(member) ?? null }]),
  )
}

/** Makes a module for each form, so that a page loads only those that it has. */
export const formSchemas: Plugin = {
  name: 'form-schemas',
  resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
  load: (id) => {
    const name = id.slice(PREFIX.length + 1)
    const form = id.startsWith(`\0${PREFIX}`) ? formSchemaOf(name) : undefined
    if (form === undefined) return null
    return `export default ${JSON.stringify(name === 'settings' ? withSettingFields(form.properties) : form.properties)}`
  },
}
