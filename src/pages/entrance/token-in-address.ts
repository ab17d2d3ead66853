// The token of a mailed link stands after the #. It is taken out of the address before anything else happens, so that neither the
// history of the browser nor who looks at the screen has it; it is used by a button, and kept nowhere.

const SKIP_LINK = '#page'

const tokenIn = (hash: string): string | null => (hash === '' || hash === SKIP_LINK ? null : hash.slice(1))

/** Null where the page was opened without one. */
export function takeToken(): string | null {
  // Another link that is opened in the same tab changes nothing but what stands after the #.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
