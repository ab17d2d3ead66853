// The parts of the settings, each with its own address, and the addresses of before, which named a part by their hash.
import { namesOf } from '../../parts/form-values.ts'
import { changeUrlParameters, replaceUrl, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { inOrganisation } from '../session.ts'

/** The names of the parts, in the order of the list. */
export const PARTS = {
  organisation: 'Organisation',
  providers: 'Providers',
  limits: 'Budget and limits',
  loops: 'Loops',
  repeats: 'Repeated calls',
  retention: 'Retention',
  content: 'Content',
  webhook: 'Webhook',
  erasure: 'Erasure',
} as const

export type PartId = keyof typeof PARTS

export const PART_IDS = namesOf(PARTS)

export function useOpenPart(ids: readonly PartId[]): PartId {
  const [parameters] = useUrlParameters()
  const named = parameters.get('part') ?? ''
  return ids.find((id) => id === named) ?? ids[0] ?? 'organisation'
}

export const pathOfPart = (id: PartId): string => inOrganisation(`/app/settings?part=${id}`)

export const openPart = (id: PartId): void => changeUrlParameters({ part: id })

/** The id of a part's element. The frame has an `organisation` of its own. */
export const elementOf = (id: PartId): string => `settings-${id}`

export const focusPart = (id: PartId): void => document.getElementById(elementOf(id))?.focus()

/** Documents and bookmarks name a part by the hash. Returns the part that it names, after the address has it as a parameter. */
export function openPartOfHash(): PartId | null {
  const named = PART_IDS.find((id) => `#${id}` === location.hash)
  if (named === undefined) return null
  const url = new URL(location.href)
  url.hash = ''
  url.searchParams.set('part', named)
  replaceUrl(url)
  return named
}
