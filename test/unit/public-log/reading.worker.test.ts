// Tests what an isolate remembers of the public log and how long it waits for it. It loses no newer head and its memory has an
// end. It waits a limited time for a file or the index.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Signer } from '../../../src/evidence/records/configured-keys.ts'
import { AttestationPositions, PublicLogReader } from '../../../src/public-log/public-log-reader.ts'
import { PublicLogFiles, type ServedHead } from '../../../src/public-log/public-log-files.store.ts'
import { FRESH_MS } from '../../../src/public-log/sign-next-head.ts'
import { TileHashes } from '../../../src/evidence/tree/tiles.ts'
import { grow, publicKeyOf, publishAll, publishOnce, rotatedSigner, signerOf } from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
const noon = Date.UTC(2091, 2, 15, 12)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: noon }))
afterEach(() => vi.useRealTimers())

const never = <T>(): Promise<T> => new Promise(() => {})

/** How it ended once so much time had passed. */
async function after(elapsedMs: number, work: Promise<unknown>): Promise<string> {
  let ended = 'waits'
  const watch = async (): Promise<void> => {
    try {
      await work
      ended = 'answered'
    } catch (thrown) {
      ended = thrown instanceof Error ? thrown.name : 'thrown'
    }
  }
  void watch()
  await vi.advanceTimersByTimeAsync(elapsedMs)
  return ended
}

class ScriptedFiles extends PublicLogFiles {
  readonly #heads: (ServedHead | null)[]

  constructor(heads: (ServedHead | null)[]) {
    super(env.FILES)
    this.#heads = heads
  }

  override readHead(): Promise<ServedHead | null> {
    return Promise.resolve(this.#heads.shift() ?? null)
  }
}

describe('the head of an isolate', () => {
  it('is never one of a smaller log than it had, nor none', async () => {
    const files = new PublicLogFiles(env.FILES)
    const heads: ServedHead[] = []
    for (const leaves of [4, 2]) {
      await grow(leaves)
      await publishAll()
      const head = await files.readHead()
      if (head !== null) heads.push(head)
    }
    const [small = null, large = null] = heads
    const ensureHead = () => Promise.resolve()
    const reads = new ScriptedFiles([small, large, small, null])
    const log = new PublicLogReader({
      files: reads,
      ensureHead,
      restorePartialTiles: ensureHead,
      signer: signerOf(1),
      clock: () => Date.now(),
    })
    const sizes: (number | undefined)[] = []
    for (let n = 0; n < 4; n += 1) sizes.push((await log.readHead(0))?.tree_size)
    expect(sizes).toEqual([4, 6, 6, 6])
  })
})

describe('a head that is no longer fresh', () => {
  const asking = (ensureHead: () => Promise<void>, signer: Signer | null = signerOf(1)) => {
    let asked = 0
    const count = (): Promise<void> => {
      asked += 1
      return ensureHead()
    }
    const clock = () => Date.now()
    const log = new PublicLogReader({
      files: new PublicLogFiles(env.FILES),
      ensureHead: count,
      restorePartialTiles: count,
      signer,
      clock,
    })
    return { log, asked: () => asked }
  }
  const renew = async (): Promise<void> => void (await publishOnce())
  const down = () => Promise.reject(new Error('down'))

  it('is signed again before it is answered, once it is 45 seconds old, and not sooner', async () => {
    await grow(3)
    await publishAll()
    const { log, asked } = asking(renew)
    vi.setSystemTime(noon + FRESH_MS - 1)
    expect(await log.readHead()).toMatchObject({ timestamp: '2091-03-15T12:00:00Z' })
    expect(asked()).toBe(0)
    vi.setSystemTime(noon + FRESH_MS + 2000)
    expect(await log.readHead()).toMatchObject({ tree_size: 3, timestamp: '2091-03-15T12:00:47Z' })
    expect(asked()).toBe(1)
  })

  it('is answered all the same where nobody signs it again, which is asked for every five seconds', async () => {
    await grow(3)
    await publishAll()
    const { log, asked } = asking(down)
    for (const second of [60, 63, 64, 65, 68]) {
      vi.setSystemTime(noon + second * 1000)
      expect(await log.readHead(0)).toMatchObject({ timestamp: '2091-03-15T12:00:00Z' })
    }
    expect(asked()).toBe(2)
  })

  it('is not waited for longer than five seconds', async () => {
    await publishAll()
    vi.setSystemTime(noon + 60_000)
    const { log } = asking(never)
    expect(await after(5000, log.readHead())).toBe('answered')
  })

  it('is signed again at once after a rotation, though it is seconds old', async () => {
    await publishAll()
    const signer = rotatedSigner('active')
    const { log } = asking(async () => void (await publishOnce({ signer })), signer)
    expect(await log.readHead()).toMatchObject({ public_key: publicKeyOf(2) })
  })

  it.each(['retired', 'revoked'] as const)('is never answered under a key that is %s', async (status) => {
    await publishAll()
    await expect(asking(down, rotatedSigner(status)).log.readHead()).rejects.toThrow('down')
    expect(await asking(() => Promise.resolve(), rotatedSigner(status)).log.readHead()).toBeNull()
  })

  it('is never answered under a key that is not published', async () => {
    await publishAll()
    for (const signer of [null, signerOf(2)]) {
      expect(await asking(() => Promise.resolve(), signer).log.readHead()).toBeNull()
    }
  })
})

describe('what is remembered', () => {
  it('is two buffers of 8 KiB for a tile, whatever is worked out from it', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(256 * 32))
    const tile = new TileHashes(bytes)
    const buffers = new Set<ArrayBufferLike>()
    for (let level = 0; level < 8; level += 1) {
      for (let index = 0; index < 2 ** (8 - level); index += 1) buffers.add(tile.hashOf({ level, index }).buffer)
    }
    expect([...buffers].map(({ byteLength }) => byteLength)).toEqual([8192, 8160])
  })
})

describe('the index', () => {
  it('that does not answer is waited for five seconds, and asked again the next time', async () => {
    const findPosition = vi.fn<() => Promise<number | null>>(never)
    const positions = new AttestationPositions({ findPosition }, () => Date.now())
    const id = crypto.getRandomValues(new Uint8Array(16))
    expect(await after(4999, positions.find(id))).toBe('waits')
    expect(await after(5000, positions.find(id))).toBe('TimeLimitError')
    expect(findPosition).toHaveBeenCalledTimes(2)
  })
})

describe('a file', () => {
  const bucket = { get: never, put: never, delete: never }
  const body = { get: () => Promise.resolve({ json: never, arrayBuffer: never, etag: '' }) }
  const tile = { level: 0, index: 0, width: 256 }

  /** Storage that never answers, in the place of R2. */
  const filesOf = (silent: object): PublicLogFiles => {
    const methods = new Map<string | symbol, unknown>(Object.entries(silent))
    return new PublicLogFiles(new Proxy(env.FILES, { get: (_, name) => methods.get(name) }))
  }

  it.each([
    ['reading the head', (files: PublicLogFiles) => files.readHead(), bucket],
    ['reading the head’s body', (files: PublicLogFiles) => files.readHead(), body],
    ['reading a tile', (files: PublicLogFiles) => files.readTile(tile), bucket],
    ['reading a tile’s body', (files: PublicLogFiles) => files.readTile(tile), body],
    ['putting a tile', (files: PublicLogFiles) => files.putTile(tile, new Uint8Array(8192)), bucket],
    ['deleting tiles', (files: PublicLogFiles) => files.deletePartialTiles(tile), bucket],
    ['putting the head', (files: PublicLogFiles) => files.replaceHead(HEAD, null), bucket],
  ])('is waited for ten seconds and no longer: %s', async (_, work, silent) => {
    expect(await after(9999, work(filesOf(silent)))).toBe('waits')
    expect(await after(10_000, work(filesOf(silent)))).toBe('TimeLimitError')
  })
})

const HEAD = {
  v: 1,
  log: 'public',
  tree_size: 0,
  root_hash: '',
  timestamp: '',
  signature: '',
  public_key: '',
  key_id: '',
  algorithm: 'Ed25519',
} as const
