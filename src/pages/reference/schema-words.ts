// What a value is, in words.
import { formatNumber } from '../text/format.ts'
import { nameOf, resolved, type ApiDocument, type Schema } from './api-document.ts'

/** “ReadRequest”, “string or null”, “list of ChatMessage”. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const name = nameOf(schema)
  const one = resolved(document, schema)
  if (name !== null)
    return one.type === 'object' || one.type === undefined ? name : `${name}, ${ownType(document, one)}`
  return ownType(document, one)
}

function ownType(document: ApiDocument, one: Schema): string {
  const choices = one.oneOf ?? one.anyOf
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(document, choice)))].join(' or ')
  if (one.allOf !== undefined) return one.allOf.map((part) => typeOf(document, part)).join(' and ')
  const types = typeof one.type === 'string' ? [one.type] : (one.type ?? [])
  return types.length === 0 ? 'anything' : types.map((type) => typeWord(document, one, type)).join(' or ')
}

function typeWord(
  document: ApiDocument,
  { items, prefixItems, format, additionalProperties }: Schema,
  type: string,
): string {
  if (type === 'array') {
    if (prefixItems !== undefined) return 'list of fixed length'
    return items === undefined ? 'list' : `list of ${typeOf(document, items)}`
  }
  if (type === 'object' && typeof additionalProperties === 'object') {
    return `object, each member ${typeOf(document, additionalProperties)}`
  }
  return type === 'string' && format !== undefined ? `string (${format})` : type
}

/** “1 to 4,000 characters”, “at least 1”. */
export function limitsOf(one: Schema): string {
  return [
    range(one.minLength, one.maxLength, ' characters'),
    range(one.minItems, one.maxItems, ' entries'),
    range(one.minimum, one.maximum === Number.MAX_SAFE_INTEGER ? undefined : one.maximum, ''),
    one.exclusiveMinimum === undefined ? '' : `more than ${formatNumber(one.exclusiveMinimum)}`,
  ]
    .filter((words) => words !== '')
    .join(', ')
}

function range(least: number | undefined, most: number | undefined, noun: string): string {
  if (least !== undefined && most !== undefined) {
    return least === most
      ? `exactly ${formatNumber(least)}${noun}`
      : `${formatNumber(least)} to ${formatNumber(most)}${noun}`
  }
  if (most !== undefined) return `at most ${formatNumber(most)}${noun}`
  return least === undefined || least <= Number.MIN_SAFE_INTEGER ? '' : `at least ${formatNumber(least)}${noun}`
}
