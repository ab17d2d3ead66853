// Labels of places, tiers and roles. Also normalises a text to what people see.
import type { Role } from '../../accounts/access/roles.policy.ts'
import type { Provider, ProviderRoute } from '../../management/providers.schema.ts'
import { namePlaces } from '../../platform/data-region.ts'

/** Returns the places of these routes in words, each once. */
export const placeNames = (routes: readonly ProviderRoute[]): string[] => [
  ...new Set(routes.map(({ places }) => namePlaces(places))),
]

/** Returns the routes of a provider that this deployment can use, or all of them if it can use none. */
export function routesOf({ models }: Provider): readonly ProviderRoute[] {
  const routes = models.flatMap((model) => model.routes)
  const usable = routes.filter(({ configured }) => configured)
  return usable.length === 0 ? routes : usable
}

export const tierName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1)

/** Returns the first letters of the first two words of a name. */
export const initialsOf = (name: string): string =>
  [...name.matchAll(/(?<![^\s(])[^\s(]/gu)].slice(0, 2).join('').toUpperCase()

/** The permissions of each role in words: everything that roles.policy.ts grants. */
export const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  owner: 'Everything. Only owners name owners and erase the organisation.',
  admin: 'Everything but naming owners and erasing the organisation.',
  developer: 'Creates and revokes own keys; sees calls, costs, policy, settings and approvals.',
  auditor: 'Reads and exports everything but the members until a day you choose. Changes nothing.',
  clinician: 'Approves requests; reads records of medical calls.',
}

/** The role as a word of its own: “Clinician”. */
export const roleName = (role: Role): string => role.charAt(0).toUpperCase() + role.slice(1)

/** Returns the role with its article: “an owner”, “a developer”. */
export const roleWithArticle = (role: Role): string => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`

/** Returns the text as a page shows it: several blanks become one, and invisible characters are removed. */
export const asDisplayed = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
