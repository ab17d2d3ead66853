// Adds the rows of one archive date up into lists: hospital × specialty × age group, in the order of the file.
import { type Band, bandKey, isBucket } from './cells.ts'
import { type BucketLeftOut, type PublishedList, type SpecialtyLists } from './dataset.ts'
import type { Row } from './rows.ts'

interface OpenList {
  hospital: string | null
  hospitalGroup: string | null
  specialty: string
  ageGroup: Row['ageGroup']
  bands: Map<string, { band: Band; people: number }>
  total: number
}

/** Rows of one archive date, taken one at a time. */
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
      const entry = specialties.get(list.specialty) ?? { name: list.specialty, lists: { Adult: [], Child: [] } }
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

  /** Every hospital on a row of this date, those with nothing but small volumes included. */
  hospitals(): number {
    const names = new Set([...this.#lists.values()].map((list) => list.hospital))
    names.delete(null)
    return names.size
  }

  #listOf(row: Row): OpenList {
    const key = [row.hospitalGroup, row.hospital, row.specialty, row.ageGroup].join('\n')
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const { hospital, hospitalGroup, specialty, ageGroup } = row
    const opened = { hospital, hospitalGroup, specialty, ageGroup, bands: new Map(), total: 0 }
    this.#lists.set(key, opened)
    return opened
  }
}

function published(list: OpenList): PublishedList {
  const bands = [...list.bands.values()].toSorted((a, b) => compareBands(a.band, b.band))
  return {
    hospital: list.hospital,
    hospitalGroup: list.hospitalGroup,
    waiting: bands.map(({ band, people }) => ({ band: band.label, people })),
    total: list.total,
  }
}

function compareBands(a: Band, b: Band): number {
  return a.from - b.from || (a.to ?? Infinity) - (b.to ?? Infinity)
}
