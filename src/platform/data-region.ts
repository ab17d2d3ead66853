// The classes of places that a prompt may be routed to: the European Union, which is within the European Economic Area and
// Switzerland, which is within anywhere. A route's class is computed from its countries and never stated. Pure.

/** From the narrowest to the widest. `name` is for use within a sentence, `short` for a choice of a form. */
const REGIONS = [
  { id: 'eu', name: 'the European Union', short: 'EU' },
  { id: 'eea_ch', name: 'the European Economic Area and Switzerland', short: 'EEA and Switzerland' },
  { id: 'any', name: 'any country', short: 'Any' },
] as const
export const DATA_REGIONS = REGIONS.map(({ id }) => id)
export type DataRegion = (typeof DATA_REGIONS)[number]
export const REGION_CHOICES = REGIONS.map(({ id, name }) => [id, name.charAt(0).toUpperCase() + name.slice(1)] as const)
export const SHORT_REGION_CHOICES = REGIONS.map(({ id, short }) => [id, short] as const)

/** ISO 3166-1 codes. @see https://european-union.europa.eu/principles-countries-history/eu-countries_en */
export const EU_COUNTRIES = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(
  ' ',
)

/** @see https://www.efta.int/eea */
export const EEA_CH_COUNTRIES = [...EU_COUNTRIES, 'IS', 'LI', 'NO', 'CH']

/** Returns the narrowest class that has all of these countries. @param places null if the provider does not say where */
export function dataRegionOf(places: readonly string[] | null): DataRegion {
  if (places === null || places.length === 0) return 'any'
  if (places.every((country) => EU_COUNTRIES.includes(country))) return 'eu'
  return places.every((country) => EEA_CH_COUNTRIES.includes(country)) ? 'eea_ch' : 'any'
}

export const isWithin = (region: DataRegion, limit: DataRegion): boolean =>
  DATA_REGIONS.indexOf(region) <= DATA_REGIONS.indexOf(limit)

const countryNames = new Intl.DisplayNames('en-GB', { type: 'region' })

/** Returns the narrowest of these classes. Null and undefined set no limit. */
export const narrowestRegion = (...limits: ReadonlyArray<DataRegion | null | undefined>): DataRegion =>
  DATA_REGIONS.find((region) => limits.includes(region)) ?? 'any'

/** Returns the countries in words, such as `the European Union` or `Germany and Ireland`, for a sentence with "routed to". */
export function namePlaces(places: readonly string[] | null): string {
  if (places === null) return 'any country, as the provider chooses'
  if (isSameSet(places, EU_COUNTRIES)) return 'the European Union'
  if (isSameSet(places, EEA_CH_COUNTRIES)) return 'the European Economic Area or Switzerland'
  const names = places.map((country) =>
    country === 'US' ? 'the United States' : (countryNames.of(country) ?? country),
  )
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
}

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one))

/** Returns a class in words for use within a sentence, or the text itself if it is none. */
export const nameOfRegion = (text: string): string => REGIONS.find(({ id }) => id === text)?.name ?? text
