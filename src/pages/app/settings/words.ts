// What the API names by an id, as people say it. An id that is not here is shown as it is.

/** Where a model processes what it is sent. */
const PLACES: Readonly<Record<string, string>> = {
  us: 'the United States',
  eu: 'the European Union',
  global: 'any country, as the provider chooses',
}

const REGIONS: Readonly<Record<string, string>> = { weur: 'western Europe', eeur: 'eastern Europe' }

export const placeName = (region: string): string => PLACES[region] ?? region

/** Where the platform was asked to keep the organisation's object. */
export const regionName = (region: string): string => REGIONS[region] ?? region

export const tierName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1)

/** “A, B and C”. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
