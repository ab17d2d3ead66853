// Takes the token of a mailed link from the URL, in which no server gets it.
/** Without a token, the part after the # is empty, or that of the link past the head of the page. */
const tokenIn = (hash: string): string | null => (hash === '' || hash === '#page' ? null : hash.slice(1))

/** Takes the token from the URL. Returns null if the page was opened without one. */
export function takeToken(): string | null {
  // A second link in the same tab changes only the part after the #, so the browser loads nothing.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
