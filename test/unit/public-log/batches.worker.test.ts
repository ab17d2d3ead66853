// Tests how much a look into the public log's newest leaves reads, however many of them wait.
import { describe, expect, it } from 'vitest'
import { LeafBatchesStore } from '../../../src/public-log/leaf-batches.store.ts'
import { countRowsRead } from '../../support/unit/counted-sql.ts'
import { inLog } from './opened-log.ts'

const BATCHES = 2500

const receipt = () => ({
  attestationId: crypto.getRandomValues(new Uint8Array(16)),
  leafHash: crypto.getRandomValues(new Uint8Array(32)),
  origin: 0,
})

describe('a backlog of batches', () => {
  it('is not gone through for the next head, nor for what may go', async () => {
    await inLog((storage) => {
      const batches = new LeafBatchesStore(storage.sql)
      storage.transactionSync(() => {
        for (let n = 0; n < BATCHES; n += 1) batches.append('a practice', [receipt()])
      })
      const read = <T>(work: (store: LeafBatchesStore) => T): { found: T; rows: number } => {
        const { sql, rowsRead } = countRowsRead(storage.sql)
        return { found: work(new LeafBatchesStore(sql)), rows: rowsRead() }
      }
      const next = read((store) => store.nextFrontier(100, 300))
      expect(next.found?.size).toBe(300)
      expect(next.rows).toBeLessThan(10)
      const none = read((store) => store.nextFrontier(BATCHES, BATCHES + 8192))
      expect(none.found).toBeNull()
      expect(none.rows).toBeLessThan(1100)
      expect(read((store) => store.deleteBefore(0))).toMatchObject({ found: 0, rows: 2 })
    })
  })

  it('has a next head though the newest one ends inside a batch', async () => {
    await inLog((storage) => {
      const batches = new LeafBatchesStore(storage.sql)
      batches.append('a practice', Array.from({ length: 1024 }, receipt))
      expect(batches.nextFrontier(1023, 9000)?.size).toBe(1024)
      expect(batches.nextFrontier(1, 9000)?.size).toBe(1024)
      expect(batches.nextFrontier(1024, 9000)).toBeNull()
    })
  })
})
