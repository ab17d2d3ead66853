// Adds up the rows of one archive date into lists (hospital × specialty × age group), in file order.
import { type Band, bandKey, isBucket } from './cells.ts'
import { AGE_GROUPS, type AgeGroup, type BucketLeftOut, type NamesOfDate } from './dataset.ts'
import type { PublishedList, SpecialtyLists } from './dataset.ts'
import type { Row } from './rows.ts'

interface OpenList {
  hospital: string | null
  hospitalCode: string | null
  hospitalGroup: string | null
  specialty: string
  specialtyCode: string | null
  ageGroup: Row['ageGroup']
  bands: Map<string, { band: Band; people: number }>
  total: number
}

/** Takes the rows of one archive date, one at a time. */
export class ArchiveFold {
  readonly #lists = new Map<string, OpenList>()
  readonly #keys = new Set<string>()
  readonly #repeatedKeys = new Set<string>()
  rows = 0

  add(row: Row): void {
    this.rows += 1
    if (this.#keys.has(row.key)) this.#repeatedKeys.add(row.key)
    this.#keys.add(row.key)
    const list = this.#listOf(row)
    for (const { band, people } of row.bands) {
      const known = list.bands.get(bandKey(band))
      if (known === undefined) list.bands.set(bandKey(band), { band, people })
      else known.people += people
    }
    list.total += row.total
  }

  get keysSummed(): number {
    return this.#repeatedKeys.size
  }

  specialties(): SpecialtyLists[] {
    const specialties = new Map<string, SpecialtyLists>()
    for (const list of this.#lists.values()) {
      if (isBucket(list.specialty)) continue
      const entry = specialties.get(list.specialty) ?? {
        name: list.specialty,
        code: list.specialtyCode,
        lists: { Adult: [], Child: [] },
      }
      specialties.set(list.specialty, entry)
      entry.lists[list.ageGroup].push(published(list))
    }
    return [...specialties.values()]
  }

  bucketsLeftOut(): BucketLeftOut[] {
    const buckets = new Map<string, BucketLeftOut>()
    for (const list of this.#lists.values()) {
      if (!isBucket(list.specialty)) continue
      const bucket = buckets.get(list.specialty) ?? { name: list.specialty, lists: 0, people: 0 }
      buckets.set(list.specialty, { ...bucket, lists: bucket.lists + 1, people: bucket.people + list.total })
    }
    return [...buckets.values()]
  }

  names(): NamesOfDate {
    const specialties: Record<AgeGroup, Map<string, number>> = { Adult: new Map(), Child: new Map() }
    const hospitals = new Map<string, number>()
    const bands = new Map<string, number>()
    for (const { hospital, specialty, ageGroup, total, bands: own } of this.#lists.values()) {
      for (const [key, { people }] of own) addTo(bands, key, people)
      if (!isBucket(specialty)) addTo(specialties[ageGroup], specialty, total)
      // Hospitals that have only small volumes are named too.
      if (hospital !== null) addTo(hospitals, hospital, total)
    }
    const [Adult, Child] = AGE_GROUPS.map((ageGroup) => listOf(specialties[ageGroup]))
    return {
      specialties: { Adult: Adult ?? [], Child: Child ?? [] },
      hospitals: listOf(hospitals),
      bands: listOf(bands),
    }
  }

  #listOf(row: Row): OpenList {
    const key = [row.hospitalGroup, row.hospital, row.specialty, row.ageGroup].join('\n')
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const { hospital, hospitalCode, hospitalGroup, specialty, specialtyCode, ageGroup } = row
    const named = { hospital, hospitalCode, hospitalGroup, specialty, specialtyCode, ageGroup }
    const opened = { ...named, bands: new Map(), total: 0 }
    this.#lists.set(key, opened)
    return opened
  }
}

function addTo(people: Map<string, number>, name: string, more: number): void {
  people.set(name, (people.get(name) ?? 0) + more)
}

const listOf = (people: ReadonlyMap<string, number>) => [...people].map(([name, count]) => ({ name, people: count }))

function published(list: OpenList): PublishedList {
  const bands = [...list.bands.values()].toSorted((a, b) => compareBands(a.band, b.band))
  return {
    hospital: list.hospital,
    hospitalCode: list.hospitalCode,
    hospitalGroup: list.hospitalGroup,
    waiting: bands.map(({ band, people }) => ({ band: band.label, people })),
    total: list.total,
  }
}

function compareBands(a: Band, b: Band): number {
  return a.from - b.from || (a.to ?? Infinity) - (b.to ?? Infinity)
}
