// The rule of compatibility: a change that can break a client needs a line in the changelog.

/**
 * Returns the changes from `before` to `now` that can break a client and that the changelog does not name: facts that are gone or
 * changed, and new facts that demand more of a request.
 *
 * The changelog names a fact between backticks. There `*` stands for any text: `* 401 code session_required in Error` names the
 * code of every operation. A name has at least two words, so a lone `*`, a path or a schema names nothing.
 */
export function unnamedBreaks(before: readonly string[], now: readonly string[], changelog: string): string[] {
  const names = namesIn(changelog)
  const current = new Set(now)
  const gone = before.filter((fact) => !current.has(fact))
  return [...gone, ...newDemands(before, now)].filter((fact) => !names.some((name) => name.test(fact)))
}

/** Required parameters of an operation, and required members of a request body, that `before` has for neither. */
function newDemands(before: readonly string[], now: readonly string[]): string[] {
  const known = new Set(before)
  const subjects = new Set(before.map(subjectOf))
  const bodies = new Set(before.flatMap((fact) => / takes body \S+ (\w+)$/.exec(fact)?.[1] ?? []))
  const isDemand = (fact: string): boolean =>
    / takes (query|header|path|cookie) [^ ?]+ /.test(fact) ||
    (bodies.has(subjectOf(fact)) && /^\w+\.[^ ?]+ /.test(fact))
  return now.filter((fact) => !known.has(fact) && subjects.has(subjectOf(fact)) && isDemand(fact))
}

/** The operation or the schema that a fact is of. */
const subjectOf = (fact: string): string => /^[A-Z]+ \S+/.exec(fact)?.[0] ?? /^\w+/.exec(fact)?.[0] ?? fact

function namesIn(changelog: string): RegExp[] {
  const names = Array.from(changelog.matchAll(/`([^`]+)`/g), ([, name = '']) => name.replaceAll(/\s+/g, ' '))
  return names
    .filter((name) => name.includes(' ') && /\w/.test(name))
    .map(
      (name) =>
        new RegExp(
          `^${name
            .split('*')
            .map((text) => RegExp.escape(text))
            .join('.*')}$`,
        ),
    )
}
