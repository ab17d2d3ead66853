// The members and types of JSON: `{id: <key>, name: string, scopes: [string], last_used_at: null}`.
import { distance, withKinds, type Known } from './placeholders.ts'

/** What a shape depends on beside the values: texts with names, and when the values were answered. */
export type Context = { known: Known; answeredAt: number }

/** Members that end something. How long that is from the answer is part of their type. */
const EXPIRY = /^(expires_at|due_at|valid_until|previous_secret_until)$/

/** Members with few values, which clients decide by. */
const CLOSED =
  /^(object|type|status|state|role|finish_reason|service_tier|truncation|method|kind|outcome|decision|tier)$/

/** Members that count milliseconds, which one run has as integers and another does not. */
const DURATION = /_ms$|_ms_|^ms$|^(mean|p50|p95|p99)$/

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One shape for all the values: a member that only some have ends in `?`, several types stand beside each other. */
export function shapeOf(values: readonly unknown[], context: Context, member = ''): string {
  const lists = values.filter((value) => Array.isArray(value))
  const objects = values.filter((value) => isObject(value))
  const simple = values.filter((value) => !isObject(value) && !Array.isArray(value))
  const parts = [
    ...simpleKinds(new Set(simple.map((value) => kindOf(value, member, context)))),
    ...(objects.length === 0 ? [] : [objectShape(objects, context)]),
    ...(lists.length === 0 ? [] : [`[${shapeOf(lists.flat(), context, member)}]`]),
  ]
  return parts.join('|')
}

/** A cost may be a whole number, which is no other type. */
const simpleKinds = (kinds: ReadonlySet<string>): string[] =>
  [...kinds].filter((kind) => kind !== 'integer' || !kinds.has('number')).toSorted()

function objectShape(objects: readonly object[], context: Context): string {
  const values = new Map<string, unknown[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const shown = withKinds(name, context.known)
      values.set(shown, [...(values.get(shown) ?? []), value])
    }
  }
  const members = [...values].map(
    ([name, of]) => `${name}${of.length < objects.length ? '?' : ''}: ${shapeOf(of, context, name)}`,
  )
  return `{${members.join(', ')}}`
}

const DAY_MS = 86_400_000

/** Times in Unix seconds and in milliseconds are told apart by the answer's own time. */
function numberKind(value: number, answeredAt: number): string {
  if (Math.abs(value * 1000 - answeredAt) < DAY_MS) return '<seconds now>'
  if (Math.abs(value - answeredAt) < DAY_MS) return '<milliseconds now>'
  return Number.isInteger(value) ? 'integer' : 'number'
}

function kindOf(value: unknown, member: string, { known, answeredAt }: Context): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return DURATION.test(member) ? '<ms>' : numberKind(value, answeredAt)
  if (typeof value !== 'string') return JSON.stringify(value)
  if (EXPIRY.test(member) && !Number.isNaN(Date.parse(value))) return distance(value, answeredAt)
  if (member === 'request_id') return '<request>'
  if (CLOSED.test(member)) return JSON.stringify(value)
  const kinds = withKinds(value, known)
  if (/^<[^<>]+>$/.test(kinds)) return kinds
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return '<time>'
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return '<date>'
  return 'string'
}
