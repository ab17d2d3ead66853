/** Names of Perplexity's own tools, which it accepts for no others. */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  'web_search',
  'search_web',
  'people_search',
  'search_people',
  'fetch_url',
  'finance_search',
  'sandbox',
])
