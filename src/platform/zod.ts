// Zod, but a schema is made when it is first used. Making all of them takes a third of the Worker's start, and most describe
// answers, which only the OpenAPI document and the tests use.
import * as zod from 'zod'

export * from 'zod'

/** `made`: the schema; null until it is used. */
type Recipe = { readonly make: () => unknown; made: object | null }

function schemaOf(recipe: Recipe): object {
  if (recipe.made !== null) return recipe.made
  const made = recipe.make()
  if (typeof made !== 'object' || made === null) throw new TypeError('this makes no schema')
  return (recipe.made = made)
}

/** The methods of a schema that return another one. Any other member makes the schema. */
const DERIVING: ReadonlySet<PropertyKey> = new Set([
  'catch',
  'catchall',
  'default',
  'exactOptional',
  'extend',
  'int',
  'length',
  'max',
  'min',
  'nonnegative',
  'nullable',
  'nullish',
  'omit',
  'optional',
  'partial',
  'pick',
  'pipe',
  'positive',
  'readonly',
  'refine',
  'regex',
  'transform',
  'trim',
])

/** A stand-in's member that is its schema. */
const SCHEMA = Symbol('schema')

const HANDLER: ProxyHandler<Recipe> = {
  get(recipe, name) {
    if (name === SCHEMA) return schemaOf(recipe)
    const derive = (...given: unknown[]): object => standIn(() => call(schemaOf(recipe), name, given.map(withSchemas)))
    if (DERIVING.has(name)) return derive
    // Without an argument it returns the metadata.
    if (name === 'meta') {
      return (...given: unknown[]) => (given.length > 0 ? derive(...given) : call(schemaOf(recipe), name, given))
    }
    const schema = schemaOf(recipe)
    const member: unknown = Reflect.get(schema, name)
    return typeof member === 'function' ? (...given: unknown[]) => call(schema, name, given) : member
  },
  has: (recipe, name) => name === SCHEMA || Reflect.has(schemaOf(recipe), name),
  getPrototypeOf: (recipe) => Reflect.getPrototypeOf(schemaOf(recipe)),
}

/** Returns an object that stands for the schema until it is used, and then passes everything on to it. */
const standIn = (make: () => unknown): object => new Proxy<Recipe>({ make, made: null }, HANDLER)

function call(schema: object, name: PropertyKey, given: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(schema, name)
  if (typeof method !== 'function') throw new TypeError(`this schema has no ${String(name)}`)
  return Reflect.apply(method, schema, given)
}

/** Returns what zod is given: a schema, a list or an object of them, or anything else. */
function withSchemas(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (Array.isArray(given)) return given.map(withSchemas)
  if (SCHEMA in given) return given[SCHEMA]
  if (Object.getPrototypeOf(given) !== Object.prototype) return given
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, withSchemas(value)]))
}

/** Wraps a function of zod so that it returns a stand-in. */
function lazily<Make extends (...given: never[]) => object>(make: Make): Make
function lazily(make: (...given: unknown[]) => object) {
  return (...given: unknown[]) => standIn(() => make(...given.map(withSchemas)))
}

export const array = lazily(zod.array)
export const base64 = lazily(zod.base64)
export const boolean = lazily(zod.boolean)
export const discriminatedUnion = lazily(zod.discriminatedUnion)
export const email = lazily(zod.email)
export const guid = lazily(zod.guid)
export const int = lazily(zod.int)
export const json = lazily(zod.json)
export const literal = lazily(zod.literal)
export const looseObject = lazily(zod.looseObject)
export const number = lazily(zod.number)
export const object = lazily(zod.object)
export const partialRecord = lazily(zod.partialRecord)
export const record = lazily(zod.record)
export const strictObject = lazily(zod.strictObject)
export const string = lazily(zod.string)
export const templateLiteral = lazily(zod.templateLiteral)
export const tuple = lazily(zod.tuple)
export const union = lazily(zod.union)
export const unknown = lazily(zod.unknown)
export const url = lazily(zod.url)
export const uuid = lazily(zod.uuid)

export const coerce = { number: lazily(zod.coerce.number) }
export const iso = { date: lazily(zod.iso.date), datetime: lazily(zod.iso.datetime) }

const enumeration = lazily(zod.enum)
const nothing = lazily(zod.null)
export { enumeration as enum, nothing as null }

/**
 * Compiles a schema of the hot path to code, while the Worker starts: later the runtime takes no new code. Where it takes none at all,
 * the schema stays as it is. Throws if the schema is none of this module.
 */
export function compile<Schema extends zod.ZodType>(schema: Schema): Schema
export function compile({ [SCHEMA]: schema }: { readonly [SCHEMA]?: zod.ZodType }): zod.ZodType {
  if (schema === undefined) throw new TypeError('only schemas of this module are compiled')
  return zod.compile(schema)
}
