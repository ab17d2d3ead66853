// Makes a sample value of a schema from the document's examples.
import { resolved, type ApiDocument, type Schema } from './api-document.ts'

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:30:00Z',
  date: '2026-11-20',
  email: 'person@example.com',
  uri: 'https://example.com/',
  uuid: '0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11',
}

type Wanted = 'request' | 'answer'

/** Returns a sample. A request gets its required members and those with an example; a response gets every member. */
export function sampleOf(document: ApiDocument, schema: Schema, wanted: Wanted, depth = 0): unknown {
  const one = resolved(document, schema)
  const inner = (of: Schema): unknown => sampleOf(document, of, wanted, depth + 1)
  if (one.example !== undefined) return one.example
  if (one.const !== undefined) return one.const
  if (one.enum !== undefined) return one.enum[0]
  if (one.default !== undefined) return one.default
  if (one.allOf !== undefined) return Object.assign({}, ...one.allOf.map(inner))
  const first = (one.oneOf ?? one.anyOf ?? []).find((choice) => choice.type !== 'null')
  if (first !== undefined) return inner(first)
  if (one.prefixItems !== undefined) return one.prefixItems.map(inner)
  switch (typeOf(one)) {
    case 'object':
      return depth > 6 ? {} : sampleObject(one, wanted, inner)
    case 'array':
      return one.items === undefined || depth > 6 ? [] : [inner(one.items)]
    case 'string':
      return BY_FORMAT[one.format ?? ''] ?? '…'
    case 'integer':
    case 'number':
      return one.minimum ?? (one.exclusiveMinimum ?? -1) + 1
    case 'boolean':
      return false
    case undefined:
    default:
      return null
  }
}

function sampleObject(
  { properties = {}, required = [] }: Schema,
  wanted: Wanted,
  inner: (of: Schema) => unknown,
): Record<string, unknown> {
  const shown = Object.entries(properties).filter(
    ([name, member]) => wanted === 'answer' || required.includes(name) || member.example !== undefined,
  )
  return Object.fromEntries(shown.map(([name, member]) => [name, inner(member)]))
}

const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'string' ? type : type?.find((one) => one !== 'null')
