// What Gemini reads of JSON Schema in `responseJsonSchema` and `parametersJsonSchema`. Source: the reference of its
// GenerationConfig. It passes over what it does not know, and so the model is told of it in the description.
import type { SchemaRules } from '../json-schema/schema-rules.ts'

const READ: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'title',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'propertyOrdering',
])

const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'date', 'time'])

export const geminiSchemaRules: SchemaRules = {
  enforces: (keyword, value) => READ.has(keyword) || (keyword === 'format' && FORMATS.has(value)),
  closed: false,
  tuples: true,
  recursive: true,
}
