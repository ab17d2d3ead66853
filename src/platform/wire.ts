// Converts the names and times of objects. The code has camelCase and milliseconds, a database snake_case and milliseconds, the
// API snake_case and ISO 8601 in each `…_at`.
import type * as z from 'zod'

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : ''

type List<T> = T extends readonly (infer Item)[] ? readonly Item[] : T
type Milliseconds<T> = T extends string ? number : T

/** An API shape with the code's names. */
export type FromWire<T> = {
  [Name in keyof T as CamelCase<Name> & string]: Name extends `${string}_at`
    ? Milliseconds<Exclude<T[Name], undefined>>
    : List<Exclude<T[Name], undefined>>
}

/** An object with the names of its columns. Its values stay as they are. */
export type Row<T> = { -readonly [Name in keyof T as SnakeCase<Name>]: T[Name] }

const toCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const isTime = (name: string): boolean => name.endsWith('_at')

/** Returns the members that were sent, with the code's names. */
export function fromWire<T extends object>(sent: T): FromWire<T>
export function fromWire(sent: object): object {
  return Object.fromEntries(
    Object.entries(sent)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]: [string, unknown]) => [
        toCamelCase(name),
        isTime(name) && typeof value === 'string' ? Date.parse(value) : value,
      ]),
  )
}

/** Returns the members of a schema, in its order, from a record that may have more. */
export function toWire<Schema extends z.ZodObject>(schema: Schema, record: FromWire<z.output<Schema>>): z.output<Schema>
export function toWire(schema: z.ZodObject, record: object): object {
  return Object.fromEntries(
    Object.keys(schema.shape).map((name) => {
      const value: unknown = Reflect.get(record, toCamelCase(name))
      return [name, isTime(name) && typeof value === 'number' ? new Date(value).toISOString() : value]
    }),
  )
}

export function toRow<T extends object>(record: T): Row<T>
export function toRow(record: object): object {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [toSnakeCase(name), value]))
}

export function fromRow<T extends object>(row: Row<T>): T
export function fromRow(row: object): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [toCamelCase(name), value]))
}
