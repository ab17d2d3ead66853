// Adds to the schemas of an OpenAPI document what zod does not say: the items and the length of tuples, and the decimals of money.
import { MONEY_DECIMALS } from '../../src/platform/money.ts'
import { isJsonObject, type JsonObject } from '../../src/platform/json.ts'
import { membersOf } from '../../src/pages/reference/inline-references.ts'
import { listOf } from './schema-facts.ts'

/** Returns a copy of the document with complete schemas. */
export const completeSchemas = (document: object): object =>
  // JSON.parse passes every value to the function, the innermost first.
  membersOf(JSON.parse(JSON.stringify(document), completeSchema))

function completeSchema(name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  if ('prefixItems' in value) return withItems(value)
  return name.endsWith('_eur') && ('type' in value || 'anyOf' in value) ? withDecimals(value) : value
}

/** JSON Schema describes a tuple by its positions, but many generators read `items` and the counts. Throws if items differ. */
function withItems(tuple: JsonObject): JsonObject {
  const positions = listOf(tuple['prefixItems'])
  const [items] = positions
  if (new Set(positions.map((schema) => JSON.stringify(schema))).size !== 1) {
    throw new TypeError('a tuple of several types has no items that every generator reads')
  }
  return { ...tuple, items, minItems: positions.length, maxItems: positions.length }
}

/** `multipleOf` would state it too, but validators divide in binary fractions and refuse amounts such as 0.000005. */
const withDecimals = ({ description, ...amount }: JsonObject): JsonObject => ({
  ...amount,
  description: [description, `At most ${MONEY_DECIMALS} decimals.`].filter(Boolean).join(' '),
  'x-decimals': MONEY_DECIMALS,
})
