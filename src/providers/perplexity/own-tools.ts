/** Names of tools of Perplexity's own, which it gives to no other. */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  'web_search',
  'search_web',
  'people_search',
  'search_people',
  'fetch_url',
  'finance_search',
  'sandbox',
])
