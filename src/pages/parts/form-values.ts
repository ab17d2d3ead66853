// Converts what is typed in a form to what a request takes, by the service's own schema, and back.
import type { FieldSchema } from '../../platform/field-schema.ts'

/** The row of a field, as far as what is sent depends on it. */
export type FieldRule = {
  label: string
  /** Drawn and sent only if this is true for what is typed. */
  when?: (text: Readonly<Record<string, string>>) => boolean
}

/** What makes a form. The compiler refuses words for a member that the schema does not have. */
export type FormGiven<Name extends string, Row extends FieldRule = FieldRule> = {
  schema: Readonly<Record<NoInfer<Name>, FieldSchema>>
  words: Readonly<Record<Name, Row>>
  /** The values that it begins with, as the service has them. */
  start?: Readonly<Partial<Record<NoInfer<Name>, unknown>>>
  /** True if only what differs from these is sent. */
  isChange?: boolean
}

/** A day of a form ends with its last second in UTC. */
const LAST_SECOND = 'T23:59:59.000Z'

export function textOf(value: unknown, { format }: FieldSchema): string {
  if (Array.isArray(value)) return value.join('\n')
  if (typeof value === 'string') return format === 'date-time' ? value.slice(0, 'YYYY-MM-DD'.length) : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function valueOf(text: string, { type, format }: FieldSchema): unknown {
  if (type === 'array') return text === '' ? [] : text.split('\n')
  if (text === '') return null
  if (type === 'integer' || type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true'
  return format === 'date-time' ? text + LAST_SECOND : text
}

export function namesOf<Name extends string>(words: Readonly<Record<Name, unknown>>): readonly Name[]
export function namesOf(words: object): readonly string[] {
  return Object.keys(words)
}

export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  of: (name: Name) => Value,
): Readonly<Record<Name, Value>>
export function recordOf(names: readonly string[], of: (name: string) => unknown): object {
  return Object.fromEntries(names.map((name) => [name, of(name)]))
}

/** Returns the members to send: those with a value, or of a change those that differ. An emptied one is null. */
export function bodyOf<Name extends string>(
  { schema, words, start, isChange = false }: FormGiven<Name>,
  text: Readonly<Record<Name, string>>,
): Readonly<Partial<Record<Name, unknown>>> {
  const sent = shownOf(words, text).filter(
    (name) => text[name] !== (isChange ? textOf(start?.[name], schema[name]) : ''),
  )
  return recordOf(sent, (name) => valueOf(text[name], schema[name]))
}

/** Returns the members that apply to what is typed, in the order of their words. */
export const shownOf = <Name extends string>(
  words: Readonly<Record<Name, FieldRule>>,
  text: Readonly<Record<Name, string>>,
): readonly Name[] => namesOf(words).filter((name) => words[name].when?.(text) !== false)
