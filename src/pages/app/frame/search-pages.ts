// Search of the dashboard: returns the pages that match a typed word or id.

export type SearchResult = { name: string; address: string }

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The format of each id, the page that shows it, and its noun. A decision has the id of its record. */
const IDS = [
  [new RegExp(`^key_${UUID}$`), '/app/keys', 'The key'],
  [new RegExp(`^apr_${UUID}$`), '/app/approvals', 'The approval'],
  [new RegExp(`^${UUID}$`), '/app/audit', 'In the audit trail:'],
  [new RegExp(`^${UUID}$`), '/app/receipts', 'The receipt'],
] as const

/** Returns the pages that match, ids first. @param pages the menu's pages, in order; their URLs may include the organisation */
export function searchPages(typed: string, pages: readonly SearchResult[]): readonly SearchResult[] {
  const text = typed.trim().toLowerCase()
  const ids = IDS.flatMap(([pattern, path, what]) => {
    const page = pages.find(({ address }) => new URL(address).pathname === path)
    if (page === undefined || !pattern.test(text)) return []
    const address = new URL(page.address)
    address.searchParams.set('id', text)
    return [{ name: `${what} ${text}`, address: address.href }]
  })
  return [...ids, ...pages.filter(({ name }) => name.toLowerCase().includes(text))]
}
