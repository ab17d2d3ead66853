// Which sealed objects are read for a page, and what finding them takes.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { SealedDetailsStore } from '../../../../src/organisation/journal/sealed-details.store.ts'
import { countRowsRead } from '../../../support/unit/counted-sql.ts'

let objects = 0

const inStorage = (work: (sql: SqlStorage) => void): Promise<void> =>
  runInDurableObject(
    env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(`org_of_sealed_objects_${(objects += 1)}`)),
    (_, { storage: { sql } }) => work(sql),
  )

function putSealed(store: SealedDetailsStore, first: number, last: number): void {
  store.insertPlanned({ first, last, expiresDay: 1, rows: 1, keyFingerprint: 'ab'.repeat(8) })
  for (const planned of store.listPlanned(0)) store.markSealed(planned, 1)
}

describe('a cluster', () => {
  it('is what one position after the other is mixed with, and ends where nothing is', async () => {
    await inStorage((sql) => {
      const store = new SealedDetailsStore(sql)
      for (const [first, last] of [
        [0, 99],
        [100, 180],
        [110, 300],
        [150, 160],
        [301, 400],
      ] as const)
        putSealed(store, first, last)
      const firsts = (from: number, before = 1000) => store.listCluster({ from, before }).map(({ first }) => first)
      expect(firsts(0)).toEqual([0])
      expect(firsts(99)).toEqual([0])
      expect(firsts(100)).toEqual([100, 110, 150])
      expect(firsts(170)).toEqual([100, 110])
      expect(firsts(100, 120)).toEqual([100, 110])
      expect(firsts(301)).toEqual([301])
      expect(firsts(401)).toEqual([])
    })
  })

  it('leaves no cursor open, which would lock every table', async () => {
    await inStorage((sql) => {
      const store = new SealedDetailsStore(sql)
      for (const first of [0, 100, 200]) putSealed(store, first, first + 9)
      sql.exec('CREATE TABLE passing (n INTEGER)')
      expect(store.listCluster({ from: 0, before: 1000 }).length).toBe(1)
      sql.exec('DROP TABLE passing')
    })
  })

  it('is found without a look at what is before and after it, and so is what follows a position', async () => {
    await inStorage((sql) => {
      const store = new SealedDetailsStore(sql)
      for (let n = 0; n < 300; n += 1) putSealed(store, n * 1000, n * 1000 + 999)
      const counted = countRowsRead(sql)
      const found = new SealedDetailsStore(counted.sql)
      expect(found.listCluster({ from: 150_000, before: 300_000 }).map(({ first }) => first)).toEqual([150_000])
      expect(found.listAfter(150_500, 2).map(({ first }) => first)).toEqual([150_000, 151_000])
      expect(counted.rowsRead()).toBeLessThan(60)
    })
  })
})
