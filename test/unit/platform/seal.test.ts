// Sealing: what comes back is what went in, and nothing else opens.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gunzip, gzip } from '../../../src/platform/bytes.ts'
import { importSealingKey, seal, unseal } from '../../../src/platform/seal.ts'

const keyOf = (byte: number) => importSealingKey(new Uint8Array(32).fill(byte))
const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

const anyBytes = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Uint8Array.from(bytes))

describe('unseal', () => {
  it('gives back what was sealed under the same name', async () => {
    const key = await keyOf(1)
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.string({ unit: 'grapheme' }), async (plain, name) => {
        expect(await unseal(key, name, await seal(key, name, plain))).toEqual(plain)
      }),
    )
  })

  it('refuses whatever one bit of it is changed', async () => {
    const key = await keyOf(1)
    const sealed = await seal(key, 'name', bytesOf('of a decision'))
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      expect(await unseal(key, 'name', changed), `bit ${bit}`).toBeNull()
    }
  })

  it('refuses whatever is cut off or put on', async () => {
    const key = await keyOf(1)
    const sealed = await seal(key, 'name', bytesOf('of a decision'))
    for (let length = 0; length < sealed.length; length++) {
      expect(await unseal(key, 'name', sealed.slice(0, length)), `${length} bytes`).toBeNull()
    }
    expect(await unseal(key, 'name', Uint8Array.of(...sealed, 0))).toBeNull()
  })

  it('refuses what was sealed under another name', async () => {
    const key = await keyOf(1)
    const sealed = await seal(key, 'ledger/a/1/0-9', bytesOf('of a decision'))
    for (const name of ['ledger/a/1/0-8', 'ledger/b/1/0-9', '', 'ledger/a/1/0-9 ']) {
      expect(await unseal(key, name, sealed)).toBeNull()
    }
  })

  it('refuses what was sealed under another key', async () => {
    const sealed = await seal(await keyOf(1), 'name', bytesOf('of a decision'))
    expect(await unseal(await keyOf(2), 'name', sealed)).toBeNull()
  })
})

describe('seal', () => {
  it('never seals the same twice: the nonce is new each time', async () => {
    const key = await keyOf(1)
    const nonces = new Set<string>()
    for (let n = 0; n < 200; n++) nonces.add((await seal(key, 'name', bytesOf('same'))).slice(1, 13).toHex())
    expect(nonces.size).toBe(200)
  })

  it('hides what it seals', async () => {
    const sealed = await seal(await keyOf(1), 'name', bytesOf('a decision about something'))
    expect(new TextDecoder('latin1').decode(sealed)).not.toContain('decision')
  })
})

describe('importSealingKey', () => {
  it.each([0, 16, 31, 33])('takes no key of %i bytes', async (length) => {
    await expect(importSealingKey(new Uint8Array(length))).rejects.toThrow('a sealing key is 32 bytes')
  })
})

describe('gzip', () => {
  it('gives back what went in', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        expect(await gunzip(await gzip(bytes))).toEqual(bytes)
      }),
    )
  })

  it('makes what repeats itself smaller', async () => {
    expect((await gzip(bytesOf('again and again '.repeat(1000)))).byteLength).toBeLessThan(200)
  })
})
