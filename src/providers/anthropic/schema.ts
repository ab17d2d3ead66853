// What Anthropic compiles of JSON Schema, for answers and for strict tools alike. Source: its page on structured outputs;
// what moves into descriptions is what its own SDKs move there.
import type { SchemaRules } from '../json-schema/schema-rules.ts'

const ENFORCED: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'title', 'default'])

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

export const anthropicSchemaRules: SchemaRules = {
  enforces: (keyword, value) =>
    ENFORCED.has(keyword) ||
    (keyword === 'format' && FORMATS.has(value)) ||
    (keyword === 'minItems' && (value === 0 || value === 1)),
  closed: true,
  tuples: false,
  recursive: false,
}
