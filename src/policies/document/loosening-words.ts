// Compares the members of a rule before and after a change, and says what is looser. Pure.
import { isJsonObject } from '../../platform/json.ts'

/** How strong a guard's actions are: redaction sends less, and a block sends nothing. */
const STRENGTH = { ignore: 0, report: 1, redact: 2, block: 3 } as const

type GuardAction = keyof typeof STRENGTH

const MOST_LISTED = 8

export const formatNames = (names: readonly string[], separator = ', '): string =>
  names.length > MOST_LISTED
    ? `${names.slice(0, MOST_LISTED).join(separator)}${separator}and ${names.length - MOST_LISTED} more`
    : names.join(separator)

export const changedTo = (name: string, from: string | number, to: string | number): string =>
  `${name} went from ${from} to ${to}`

/** Names the limits that were raised or removed, also those of objects inside. @param at the path of the members */
export function raisedLimits(before: object, after: object, at = ''): string[] {
  const members = new Map<string, unknown>(Object.entries(after))
  return Object.entries(before).flatMap(([member, from]: [string, unknown]) => {
    const name = `${at}${member}`
    const to = members.get(member)
    if (isJsonObject(from)) return raisedLimits(from, isJsonObject(to) ? to : {}, `${name}.`)
    if (typeof from !== 'number') return []
    if (typeof to !== 'number') return [`${name} is no longer set`]
    return to > from ? [changedTo(name, from, to)] : []
  })
}

/** Names what a list of allowed names has more. */
export function widenedList(
  name: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): string[] {
  if (before === undefined) return []
  if (after === undefined) return [`${name} is no longer set`]
  const added = after.filter((one) => !before.includes(one))
  return added.length === 0 ? [] : [`${name} now has ${formatNames(added)}`]
}

/** Names what a list of covered names has no more. */
export function shortenedList(name: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((one) => !after.includes(one))
  return gone.length === 0 ? [] : [`${name} no longer has ${formatNames(gone)}`]
}

/** Names what a guard acts on more weakly. @param all what these names are, such as `all shapes` */
export function weakenedActions<Name extends string>(
  all: string,
  names: readonly Name[],
  before: (name: Name) => GuardAction,
  after: (name: Name) => GuardAction,
): string[] {
  const weaker = names.filter((name) => STRENGTH[after(name)] < STRENGTH[before(name)])
  const byChange = Map.groupBy(weaker, (name) => changedTo('', before(name), after(name)))
  return [...byChange].map(([change, of]) => (of.length === names.length ? all : formatNames(of)) + change)
}
