// JSON Merge Patch: a patch has the members to change, and null for each member to remove. Lists are replaced whole. Pure.
// See https://www.rfc-editor.org/rfc/rfc7396
import * as z from 'zod'
import { isJsonObject } from './json.ts'
import { orNull } from './names.schema.ts'

/** Returns the value that the patch makes. @see https://www.rfc-editor.org/rfc/rfc7396#section-2 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const members = new Map(Object.entries(isJsonObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name)
    else members.set(name, applyMergePatch(members.get(name), value))
  }
  // SECURITY: this defines own members, also `__proto__`. An assignment would change the prototype.
  return Object.fromEntries(members)
}

/** Returns the members of a patch for such objects: each may be absent or null, at any depth. */
export const mergePatchShape = ({ shape }: z.ZodObject): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries<z.core.$ZodType>(shape).map(([name, member]) => [name, orNull(patchOf(member)).optional()]),
  )

function patchOf(schema: z.core.$ZodType): z.ZodType {
  // The default is not the patch's: a member that it leaves out stays as it is.
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return patchOf(schema.unwrap())
  if (schema instanceof z.ZodObject) return z.strictObject(mergePatchShape(schema))
  if (schema instanceof z.ZodRecord) return z.partialRecord(schema.keyType, orNull(patchOf(schema.valueType)))
  if (schema instanceof z.ZodType) return schema
  throw new TypeError('not a schema of this library form')
}
