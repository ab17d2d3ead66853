// The schemas that stand directly within a JSON Schema, by the keywords that a translation reads. Definitions are not
// among them: references lead to those.
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'

const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const SINGLES = ['items', 'additionalProperties'] as const

export function subschemas(schema: JsonObject): JsonObject[] {
  const { properties } = schema
  return [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...LISTS.flatMap((keyword) => asList(schema[keyword])),
    ...SINGLES.map((keyword) => schema[keyword]),
  ].filter(isJsonObject)
}

/** Of anything else than a list, nothing. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
