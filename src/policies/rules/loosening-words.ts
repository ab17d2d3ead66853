// Compares the members of a rule before and after a change, and says what is looser. Pure.

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

/** Names the limits that were raised or removed, apart from those of single keys. */
export const raisedLimits = (before: object, after: object): string[] =>
  Object.keys(before).flatMap((name) => raised(name, limitIn(before, name), limitIn(after, name)))

type KeyLimits = { readonly keys?: Readonly<Record<string, object>> | undefined }

/** Names the limits of single keys that were raised. The lower holds of a key's own limit and that for all keys, `key_…`. */
export const raisedKeyLimits = (before: KeyLimits, after: KeyLimits): string[] =>
  Object.entries(before.keys ?? {}).flatMap(([id, limits]) =>
    Object.keys(limits).flatMap((member) => {
      const own = limitIn(limits, member)
      // A lower limit for all keys decided, and is named if it was raised.
      if (own >= limitIn(before, `key_${member}`)) return []
      const to = Math.min(limitIn(after.keys?.[id] ?? {}, member), limitIn(after, `key_${member}`))
      return raised(`keys.${id}.${member}`, own, to)
    }),
  )

function limitIn(limits: object, name: string): number {
  const limit = new Map<string, unknown>(Object.entries(limits)).get(name)
  return typeof limit === 'number' ? limit : Infinity
}

function raised(name: string, from: number, to: number): string[] {
  if (to <= from) return []
  return [to === Infinity ? `${name} is no longer set` : changedTo(name, from, to)]
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

export function shortenedList(name: string, before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((one) => !after.includes(one))
  return gone.length === 0 ? [] : [`${name} no longer has ${formatNames(gone)}`]
}

/** Names what a guard acts on more weakly. @param all what these names are, such as `all shapes` */
export function weakenedActions<Name extends string, Guard>(
  all: string,
  names: readonly Name[],
  actionOf: (guard: Guard, name: Name) => GuardAction,
  [before, after]: readonly [before: Guard, after: Guard],
): string[] {
  const weaker = names.filter((name) => STRENGTH[actionOf(after, name)] < STRENGTH[actionOf(before, name)])
  const byChange = Map.groupBy(weaker, (name) => changedTo('', actionOf(before, name), actionOf(after, name)))
  return [...byChange].map(([change, of]) => (of.length === names.length ? all : formatNames(of)) + change)
}
