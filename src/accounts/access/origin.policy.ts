// Whether a request that changes something comes from a page of our own, and not from a foreign page, a sibling subdomain or
// a form. Pure. A request with Authorization is not asked: no browser adds that by itself.

/** What the request says about where it comes from. */
export type Provenance = {
  /** Where the service is: `https://host`. */
  ownOrigin: string
  origin: string | undefined
  secFetchSite: string | undefined
}

export function isOwnOrigin({ ownOrigin, origin, secFetchSite }: Provenance): boolean {
  return origin === ownOrigin && (secFetchSite === undefined || secFetchSite === 'same-origin')
}
