// The model that answered, as its provider names it. Pure.

/** Returns the name if a record can hold it: at most 128 printable ASCII characters without spaces. Else null. */
export const readServedModel = (named: string | null): string | null =>
  named !== null && /^[!-~]{1,128}$/.test(named) ? named : null

/** A day, such as `-2025-04-14` or `-20251001`, or a revision of three digits, such as `-001`. */
const DATED = /^-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{3})$/

/** Google may write `models/` before a name. Amazon Bedrock adds the geography, the maker and a version to it. */
const AROUND = /^models\/|^(?:eu\.)?anthropic\.|-v\d(?::\d)?$/g

/**
 * Returns true if the provider names another model than the one it was asked for. A dated form of that is no other, and neither
 * is no name.
 */
export function isAnotherModel(wireModel: string, named: string | null): boolean {
  if (named === null || named === '') return false
  const [asked, name] = [wireModel, named].map((one) => one.replaceAll(AROUND, ''))
  if (asked === undefined || name === undefined || !name.startsWith(asked)) return true
  const suffix = name.slice(asked.length)
  return suffix !== '' && !DATED.test(suffix)
}
