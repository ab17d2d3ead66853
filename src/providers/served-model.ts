// The names of models: the one that a provider says has answered, and a name with a date. Pure.

/** Returns the name if a record can hold it: at most 128 printable ASCII characters without spaces. Else null. */
export const readServedModel = (named: string | null): string | null =>
  named !== null && /^[!-~]{1,128}$/.test(named) ? named : null

/** A day at the end of a name, such as `-2025-04-14` or `-20251001`. */
const DAY = /-(\d{4})(-?)(\d{2})\2(\d{2})$/

/** Returns a name without the day at its end. A name without one is returned as it is, as is one with a day of no calendar. */
export function withoutDay(name: string): string {
  const [suffix = '', year, , month, day] = DAY.exec(name) ?? []
  const date = `${year}-${month}-${day}`
  const time = Date.parse(date)
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
  return exists ? name.slice(0, -suffix.length) : name
}

/** A revision after a name, such as `-001`. */
const REVISION = /^-\d{3}$/

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
  return withoutDay(suffix) !== '' && !REVISION.test(suffix)
}
