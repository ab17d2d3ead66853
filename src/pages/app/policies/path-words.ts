// Where something stands in a policy, as people read it.

/** Of a JSON Pointer: “budget_guard › day_eur”. */
export const wordsOfPath = (path: string): string =>
  path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join(' › ')
