// Adds an example to every JSON answer of success in the OpenAPI document. Main operations have an answer of the running service,
// recorded with invented data. The others are made from their schema, with believable values by name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/platform/json.ts'
import { mapValues, membersOf } from '../../src/pages/reference/inline-references.ts'
import { resolveReference, type ApiDocument, type Schema } from '../../src/pages/reference/openapi-document.ts'
import { sampleOf } from '../../src/pages/reference/request-samples.ts'
import { EXAMPLE_VALUES } from './example-values.ts'

/** By operation, and a signed reading. */
export const RECORDED = membersOf(JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-answers.json'), 'utf8')))

/** Operations that answer with what another one answers. */
const SAME_AS: Readonly<Record<string, string>> = {
  patchPolicy: 'showPolicy',
  putPolicy: 'showPolicy',
  showPolicyVersion: 'showPolicy',
  updateKey: 'showKey',
  updateMember: 'showMember',
  updateSettings: 'showSettings',
}

/** JsonObject that such an operation has beside those of the other. */
const FURTHER: Readonly<Record<string, object>> = {
  patchPolicy: { warnings: [] },
  putPolicy: { warnings: [] },
  updateMember: { keys: [], keys_revoked: true },
  updateSettings: { warnings: [] },
}

/** Returns the document with the examples. Throws TypeError for a required text that has no believable value. */
export function withAnswerExamples<T extends object>(document: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document that the reference reads
  const api = document as unknown as ApiDocument
  const operationOf = (operation: JsonObject): JsonObject => {
    const id = String(operation['operationId'])
    const contentOf = (status: string, types: object) => (content: JsonObject, type: string) => {
      if (!type.includes('json')) return content
      const recorded = RECORDED[`${id} ${status}`] ?? (status.startsWith('2') ? recordedAs(id) : undefined)
      // The answer that is recorded is the JSON, where the operation has a file of lines too.
      const answer = type === 'application/json' || !('application/json' in types) ? recorded : undefined
      return { ...content, example: answer ?? exampleOf(api, membersOf(content['schema']), [id]) }
    }
    // An error is shown with its code, which is not the document's to choose.
    const responses = mapValues(operation['responses'], (response, status) =>
      (!('x-error-codes' in response) || `${id} ${status}` in RECORDED) && 'content' in response
        ? { ...response, content: mapValues(response['content'], contentOf(status, membersOf(response['content']))) }
        : response,
    )
    return { ...operation, responses }
  }
  return { ...document, paths: mapValues(api.paths, (methods) => mapValues(methods, operationOf)) }
}

function recordedAs(id: string): unknown {
  const same = SAME_AS[id]
  return same === undefined ? RECORDED[id] : { ...membersOf(RECORDED[same]), ...FURTHER[id] }
}

/** Deeper than any answer that is not made of itself. */
const MOST_DEPTH = 12

/**
 * Returns an example of the schema. Objects have their required members, and the others that have a believable value.
 * @param path the names from the operation to the value
 */
function exampleOf(api: ApiDocument, schema: Schema, path: readonly string[]): unknown {
  const one = resolveReference(api, schema)
  const name = path.at(-1) ?? ''
  const inner = (of: Schema, member = name): unknown => exampleOf(api, of, [...path, member])
  if (one.example !== undefined) return one.example
  if (one.const !== undefined) return one.const
  const known = knownValue(api, one, path)
  if (known !== undefined) return known
  if (one.enum !== undefined || one.default !== undefined) return sampleOf(api, one)
  if (one.allOf !== undefined) return Object.assign({}, ...one.allOf.map((part) => inner(part)))
  const choices = one.oneOf ?? one.anyOf
  if (choices !== undefined) {
    const first = choices.find(({ type }) => type !== 'null')
    // Nothing is more believable than a text or number that stands for nothing.
    return first === undefined || (choices.length > 1 && isNullable(choices) && isScalar(api, first))
      ? null
      : inner(first)
  }
  if (one.prefixItems !== undefined) return one.prefixItems.map((item) => inner(item))
  const types = typesOf(one)
  if (types.includes('null')) return null
  switch (types[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(one.properties ?? {})
          .filter(([member, value]) => isShown(api, one, member, value, path))
          .map(([member, value]) => [member, inner(value, member)]),
      )
    case 'array':
      return one.items === undefined || one.maxItems === 0 || path.length > MOST_DEPTH ? [] : [inner(one.items)]
    case 'string':
      throw new TypeError(`${path.join('.')} has no value in example-values.ts`)
    case undefined:
    default:
      return sampleOf(api, one)
  }
}

function isShown(api: ApiDocument, parent: Schema, member: string, value: Schema, path: readonly string[]): boolean {
  if (parent.required?.includes(member) === true) return true
  const one = resolveReference(api, value)
  return one.example !== undefined || knownValue(api, one, [...path, member]) !== undefined
}

const isNullable = (choices: readonly Schema[]): boolean => choices.some(({ type }) => type === 'null')

const typesOf = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

const isScalar = (api: ApiDocument, schema: Schema): boolean =>
  typesOf(resolveReference(api, schema)).every((type) => type !== 'object' && type !== 'array')

/** Returns the first value that fits the schema: of the parent and the name, of the operation and the name, or of the name. */
function knownValue(api: ApiDocument, schema: Schema, path: readonly string[]): unknown {
  const last = path.at(-1) ?? ''
  const names = [path.slice(-2).join('.'), `${path[0]}.${last}`, last]
  return names.flatMap((name) => EXAMPLE_VALUES[name] ?? []).find((value) => fits(api, schema, value))
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT/,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  uri: /^https:/,
}

/** True if the value is one of the schema. JsonObject of objects are not looked at: a test does that. */
function fits(api: ApiDocument, schema: Schema, value: unknown): boolean {
  const one = resolveReference(api, schema)
  const choices = one.oneOf ?? one.anyOf
  if (choices !== undefined) return choices.some((choice) => fits(api, choice, value))
  if (one.enum !== undefined && !one.enum.includes(value)) return false
  const types = typesOf(one)
  if (!typeNamesOf(value).some((name) => types.includes(name))) return false
  if (Array.isArray(value)) {
    const { items, minItems = 0, maxItems = Infinity } = one
    return (
      value.length >= minItems &&
      value.length <= maxItems &&
      (items === undefined || value.every((item) => fits(api, items, item)))
    )
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = one
    return value >= minimum && value <= maximum && value > exclusiveMinimum
  }
  if (typeof value !== 'string') return true
  const { minLength = 0, maxLength = Infinity, pattern = '', format = '' } = one
  return (
    value.length >= minLength &&
    value.length <= maxLength &&
    new RegExp(pattern, 'u').test(value) &&
    (FORMATS[format]?.test(value) ?? true)
  )
}

/** An integer is a number too. */
function typeNamesOf(value: unknown): readonly string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return typeof value === 'number' && Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
}
