// Compares the members of an object with those of its format. SECURITY: a member that the format does not have is a fault.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'

/** Finds a member that a format has and the object has not, or the other way round. */
export function findNameFault(
  object: JsonObject,
  names: readonly string[],
  optional: readonly string[] = [],
): 'missing_member' | 'unknown_member' | null {
  if (names.some((name) => !Object.hasOwn(object, name))) return 'missing_member'
  const isKnown = (name: string): boolean => names.includes(name) || optional.includes(name)
  return Object.keys(object).every(isKnown) ? null : 'unknown_member'
}

export const hasExactMembers = (value: unknown, names: readonly string[]): value is JsonObject =>
  isJsonObject(value) && findNameFault(value, names) === null

/** Returns the names in their order. Each kind of line has a fixed list. */
export const memberNames = (object: JsonObject): string => Object.keys(object).join(',')
