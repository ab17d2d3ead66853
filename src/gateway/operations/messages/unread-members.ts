// Finds the members of a body that its schema leaves open: nobody here reads them, but the scans do before a provider gets them.
import * as z from 'zod'
import { isPlainName } from '../../../platform/errors.ts'
import { isJsonObject, ownMember } from '../../../platform/json.ts'

/** `path`: as far as it has plain names only. `json`: the member with its name, as an object. */
export type UnreadMember = { readonly path: string; readonly name: string; readonly json: string }

/** @param value what fits the schema */
export function findUnread(schema: unknown, value: unknown, path = ''): UnreadMember[] {
  const form = formOf(schema, value)
  if (form instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item: unknown, at) => findUnread(form.element, item, `${path}[${at}]`))
  }
  if (!(form instanceof z.ZodObject) || !isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const place = isPlainName(name) ? `${path}${path === '' ? '' : '.'}${name}` : path
    const known: unknown = ownMember(form.shape, name)
    return known === undefined
      ? [{ path: place, name, json: JSON.stringify({ [name]: member }) }]
      : findUnread(known, member, place)
  })
}

/** Returns the schema of a list or an object that the value was written by; null for any other value. */
function formOf(schema: unknown, value: unknown, tag = 'type'): z.ZodArray | z.ZodObject | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return formOf(schema.unwrap(), value, tag)
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? schema : null
  if (schema instanceof z.ZodObject) return isJsonObject(value) && isTagged(schema, value, tag) ? schema : null
  if (!(schema instanceof z.ZodUnion)) return null
  const by = schema instanceof z.ZodDiscriminatedUnion ? schema.def.discriminator : tag
  for (const option of schema.options) {
    const form = formOf(option, value, by)
    if (form !== null) return form
  }
  return null
}

function isTagged({ shape }: z.ZodObject, value: object, tag: string): boolean {
  const known: unknown = ownMember(shape, tag)
  return !(known instanceof z.ZodType) || known.safeParse(new Map(Object.entries(value)).get(tag)).success
}
