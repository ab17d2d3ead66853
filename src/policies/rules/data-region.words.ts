import { nameOfRegion, REGION_CHOICES } from '../../platform/data-region.ts'
import type { WordsOf } from './rule-words.ts'

export const dataRegion: WordsOf<'data_region'> = {
  name: 'Data region',
  about:
    'Where text may be routed to. A call without a route inside is blocked, and a failed call is never sent elsewhere. Keys and requests can narrow it.',
  limit: 'It chooses the provider’s endpoint. The service itself runs where a request arrives.',
  off: 'text may be routed anywhere',
  start: { within: 'eu' },
  members: [
    {
      name: 'within',
      label: 'Routed within',
      words: REGION_CHOICES,
    },
  ],
  reasons: { no_route: 'No route in the region' },
  summary: ({ within }) => (within === 'any' ? 'Anywhere' : `Only within ${nameOfRegion(String(within))}`),
  forKey: (_, { region }) => (region === 'any' ? undefined : { within: region }),
}
