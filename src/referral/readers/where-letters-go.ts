// The sentence that says where the text of a letter goes, made from the routes of both readers. Pages, documents and the OpenAPI
// document have this sentence and no other.
import { namePlaces } from '../../platform/data-region.ts'
import { providerLabel } from '../../providers/provider-registry.ts'
import type { ReaderRoutes } from './reader-routes.ts'

export function whereLettersGo(routes: ReaderRoutes): string {
  const [a, b] = routes.map(({ provider, places }) => `${providerLabel(provider)}, in ${namePlaces(places)}`)
  return `A letter is routed to ${a}; and to ${b}.`
}
