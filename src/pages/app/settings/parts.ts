// The pages of the settings and their parts. An address names a page, or a part, which takes the focus there.
import { namesOf } from '../../parts/form-values.ts'
import { changeUrlParameters, replaceUrl, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { inOrganisation } from '../session.ts'

/** The names of the parts, in the order of the pages. */
export const PARTS = {
  organisation: 'Organisation',
  erasure: 'Erasure',
  providers: 'Providers',
  limits: 'Budget and limits',
  loops: 'Loops',
  repeats: 'Repeated calls',
  retention: 'Retention',
  content: 'Content',
  webhook: 'Webhook',
} as const

export type PartId = keyof typeof PARTS

export const PART_IDS = namesOf(PARTS)

type SettingsPage = { name: string; parts: readonly PartId[] }

/** The pages, in the order of the list. One with the id of a part begins with it. */
export const PAGES = {
  organisation: { name: 'Organisation', parts: ['organisation', 'erasure'] },
  calls: { name: 'Calls', parts: ['providers', 'limits', 'loops', 'repeats'] },
  data: { name: 'Data', parts: ['retention', 'content'] },
  webhook: { name: 'Webhook', parts: ['webhook'] },
} as const satisfies Readonly<Record<string, SettingsPage>>

export type PageId = keyof typeof PAGES

export const PAGE_IDS = namesOf(PAGES)

const hasPart = (page: PageId, named: string | null): boolean => PAGES[page].parts.some((id) => id === named)

export const pageOf = (part: PartId): PageId => PAGE_IDS.find((id) => hasPart(id, part)) ?? 'organisation'

/** Returns the page that the address names, and the part of it that is not the first. */
export function useNamed(): { page: PageId; part: PartId | null } {
  const [parameters] = useUrlParameters()
  const named = parameters.get('part')
  const page = PAGE_IDS.find((id) => id === named || hasPart(id, named)) ?? 'organisation'
  return { page, part: PAGES[page].parts.slice(1).find((id) => id === named) ?? null }
}

export const pathOfPart = (id: PartId): string => inOrganisation(`/app/settings?part=${id}`)

export const showPage = (id: PageId): void => changeUrlParameters({ part: id })

/** The id of a part's element. The frame has an `organisation` of its own. */
export const elementOf = (id: PartId): string => `settings-${id}`

export const focusPart = (id: PartId): void => document.getElementById(elementOf(id))?.focus()

/** Documents and bookmarks name a part by the hash: the address has it as a parameter from then on. */
export function readHash(): void {
  const named = PART_IDS.find((id) => `#${id}` === location.hash)
  if (named === undefined) return
  const url = new URL(location.href)
  url.hash = ''
  url.searchParams.set('part', named)
  replaceUrl(url)
}
