// Another tile in the place of one that the public log puts, as after its database was taken back: it stays.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OtherTileError } from '../../../src/tiles/tile-files.store.ts'
import { TileLevelsStore } from '../../../src/tiles/tile-levels.store.ts'
import { PublicLogFiles } from '../../../src/public-log/public-log-files.store.ts'
import { bucketWith } from '../../support/unit/bucket-with.ts'
import { grow, inLog, leafHashes, publishAll, publishOnce } from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2091, 2, 15, 12) }))
afterEach(() => vi.useRealTimers())

const served = async () => (await new PublicLogFiles(env.FILES).readHead())?.head

describe('another tile in the place of a full one', () => {
  const NAME = 'public-log/tile/0/000'
  const other = new Uint8Array(8192).fill(7)

  it('stays, and no head that covers it is served', async () => {
    await env.FILES.put(NAME, other)
    await grow(300)
    await publishOnce()
    await expect(publishOnce()).rejects.toThrow(OtherTileError)
    expect(await served()).toMatchObject({ tree_size: 0 })
    expect(new Uint8Array((await (await env.FILES.get(NAME))?.arrayBuffer()) ?? [])).toEqual(other)
    await env.FILES.delete(NAME)
    await publishAll()
    expect(await served()).toMatchObject({ tree_size: 300 })
  })

  it('keeps the rows of its leaves where they are, and no head back', async () => {
    const mirror = bucketWith({
      put: (async (...[name, bytes, options]: Parameters<R2Bucket['put']>) =>
        env.FILES.put(`mirror/${name}`, bytes, options)) as R2Bucket['put'],
      get: (name: string) => env.FILES.get(`mirror/${name}`),
    })
    await env.FILES.put(`mirror/${NAME}`, other)
    await grow(300)
    await publishOnce({ mirror })
    expect(await publishOnce({ mirror })).toMatchObject({
      outcome: 'published',
      size: 300,
      tileStoring: 'tile_differs',
    })
    expect((await leafHashes()).length).toBe(300)
    expect(await inLog((storage) => new TileLevelsStore(storage).tiledLeaves())).toBe(0)
  })
})
