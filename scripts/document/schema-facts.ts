// Prints a JSON Schema as facts, one for each value that it describes.
import { canonicalJson } from '../../src/evidence/records/canonical-json.ts'
import { isJsonObject, type JsonObject } from '../../src/platform/json.ts'
import { membersOf } from '../../src/pages/reference/inline-references.ts'

/** JsonObject that are said in other words than `name=value`, and prose. */
const WORDED: ReadonlySet<string> = new Set(
  `$ref type enum const anyOf oneOf allOf discriminator properties required items prefixItems
   title description example examples`.split(/\s+/),
)

/** Returns the fact of the value, marked `?` where it may be missing, and the facts of the values within it. */
export function schemaFacts(name: string, schema: JsonObject, isRequired = true): string[] {
  return [`${name}${isRequired ? '' : '?'} ${typeOf(schema)}`, ...innerFacts(name, schema)]
}

/** The type with its limits, such as `integer(minimum=1)|null`. */
function typeOf(schema: JsonObject): string {
  const limits = Object.entries(schema)
    .filter(([name, value]) => !WORDED.has(name) && value !== undefined && !isOthers(name, value))
    .map(([name, value]) => `${name}=${canonicalJson(value)}`)
    .toSorted()
  return `${kindOf(schema)}${limits.length === 0 ? '' : `(${limits.join(', ')})`}`
}

/** A schema of the members that have no name. */
const isOthers = (name: string, value: unknown): boolean => name === 'additionalProperties' && isJsonObject(value)

function kindOf(schema: JsonObject): string {
  const { $ref, type, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return componentOf($ref)
  const variants = [...listOf(anyOf), ...listOf(oneOf)]
  if (variants.length > 0)
    return joined(
      '|',
      variants.map((variant) => typeOf(membersOf(variant))),
    )
  if (allOf !== undefined) {
    const parts = listOf(allOf).map((part) => typeOf(membersOf(part)))
    return joined(
      '&',
      parts.filter((part) => part !== 'any'),
    )
  }
  const literals = literalsOf(schema)
  if (literals.length > 0 && literals.length <= FEW) return joined('|', literals.map(canonicalJson))
  return joined(
    '|',
    [type].flat().map((kind) => (kind === 'array' ? listType(schema) : wordOf(kind ?? 'any'))),
  )
}

const joined = (separator: string, kinds: readonly string[]): string => [...new Set(kinds)].toSorted().join(separator)

function listType({ items, prefixItems }: JsonObject): string {
  const first = listOf(prefixItems).map((item) => typeOf(membersOf(item)))
  const rest = isJsonObject(items) ? typeOf(items) : items === false ? 'none' : 'any'
  return `list<${first.length === 0 ? rest : [...first, `...${rest}`].join(', ')}>`
}

/** So many values are the type itself. More are one a line, because such a list grows and two branches may add to it. */
const FEW = 4

const literalsOf = ({ const: only, enum: values }: JsonObject): readonly unknown[] =>
  only === undefined ? listOf(values) : [only]

/** The facts of everything within a value. */
function innerFacts(name: string, schema: JsonObject): string[] {
  const { properties, required, additionalProperties, items, discriminator } = schema
  const always = listOf(required)
  const literals = literalsOf(schema)
  return [
    ...(literals.length > FEW ? literals : []).map((value) => `${name} is ${canonicalJson(value)}`),
    ...Object.entries(membersOf(properties)).flatMap(([member, one]) =>
      schemaFacts(`${name}.${member}`, membersOf(one), always.includes(member)),
    ),
    ...(isJsonObject(additionalProperties) ? schemaFacts(`${name}.*`, additionalProperties, false) : []),
    ...(isJsonObject(items) ? innerFacts(`${name}[]`, items) : []),
    ...listOf(schema['prefixItems']).flatMap((item, index) => innerFacts(`${name}[${index}]`, membersOf(item))),
    ...listOf(schema['allOf']).flatMap((part) => innerFacts(name, membersOf(part))),
    ...variantFacts(name, [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]),
    ...discriminatorFacts(name, membersOf(discriminator)),
  ]
}

/** Several variants with facts of their own are numbered, by the order of these facts instead of the document's. */
function variantFacts(name: string, variants: readonly unknown[]): string[] {
  const composite = variants.map(membersOf).filter((variant) => innerFacts('', variant).length > 0)
  const [only, ...others] = composite
  if (only !== undefined && others.length === 0) return innerFacts(name, only)
  const texts = composite.map((variant): [string, JsonObject] => [schemaFacts('', variant).join('\n'), variant])
  return texts
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, variant], index) => schemaFacts(`${name}<${index + 1}>`, variant))
}

const discriminatorFacts = (name: string, { propertyName, mapping }: JsonObject): string[] =>
  propertyName === undefined
    ? []
    : [
        `${name} told apart by ${wordOf(propertyName)}`,
        ...Object.entries(membersOf(mapping)).map(
          ([value, target]) => `${name} ${wordOf(propertyName)} ${value} ${componentOf(wordOf(target))}`,
        ),
      ]

const componentOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A text as it is, and anything else as JSON. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : canonicalJson(value))
