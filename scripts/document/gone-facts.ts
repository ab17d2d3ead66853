// The rule of compatibility: what a client may depend on goes only if the changelog says so.

/**
 * Returns the facts of `before` that are not in `now` and that the changelog does not name. A fact that changed is gone, too.
 * The changelog names a fact between backticks. There `*` stands for any text: `* 401 code session_required in Error` names the
 * code of every operation. A name has a word and a space, so
 * that a lone `*` or a path names nothing.
 */
export function unnamedGoneFacts(before: readonly string[], now: readonly string[], changelog: string): string[] {
  const current = new Set(now)
  const names = Array.from(changelog.matchAll(/`([^`]+)`/g), ([, name = '']) => name.replaceAll(/\s+/g, ' '))
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
  return before.filter((fact) => !current.has(fact) && !names.some((name) => name.test(fact)))
}
