// Tests that each witness's last cosignature is known after an eviction: it is asked from there, with a proof, once.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readLogConfig } from '../../../src/public-log/public-log-config.ts'
import { CosignedStore } from '../../../src/public-log/publishing-progress.store.ts'
import { PublicLogFiles } from '../../../src/public-log/public-log-files.store.ts'
import { tiledLogOf } from '../../../src/public-log/publish-leaves.ts'
import { serveCheckpoint } from '../../../src/public-log/serve-checkpoint.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { signTogether } from '../../support/cosigner.ts'
import { AT, witnessSigner } from '../evidence/checkpoint/made-checkpoint.ts'
import { evict, grow, inLog, publishAll, storedHead } from './opened-log.ts'

/** A year whose alarms never go off by themselves while the tests run. */
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2091, 2, 15, 12) }))
afterEach(() => vi.useRealTimers())

const signer = await witnessSigner('witness.example')
const { log } = readLogConfig({ ...env }, readConfig(env))

/** Serves the newest head; what the witness was asked, each time it was. */
async function serve(answer: (body: string) => Promise<Response>): Promise<{ asked: string[]; outcomes: string[] }> {
  const head = await storedHead()
  if (head === null || log === null) throw new Error('there is no head, or no log key')
  const asked: string[] = []
  const outcome = await inLog((storage) => {
    const files = new PublicLogFiles(env.FILES)
    return serveCheckpoint(
      {
        log: { ...log, witnesses: [{ key: signer.key, url: 'https://witness.example' }] },
        files,
        tiled: tiledLogOf({ storage, files }),
        clock: Date.now,
        fetch: (_, { body }) => {
          const text = typeof body === 'string' ? body : ''
          asked.push(text)
          return answer(text)
        },
        cosigned: new CosignedStore(storage.sql),
      },
      head,
    )
  })
  return {
    asked,
    outcomes: outcome.outcome === 'served' ? outcome.answers.map((each) => each.outcome) : [outcome.outcome],
  }
}

async function cosign(body: string): Promise<Response> {
  const text = body.slice(body.indexOf('\n\n') + 2).split('\n\n')[0] ?? ''
  const note = await signTogether(`${text}\n`, [signer], AT)
  return new Response(note.slice(note.indexOf('\n\n') + 2))
}

describe('what a witness cosigned last', () => {
  it('is where it is asked from, with a proof, after an eviction too', async () => {
    await grow(3)
    await publishAll()
    const first = await serve(cosign)
    expect(first.outcomes).toEqual(['cosigned'])
    expect(first.asked).toEqual([expect.stringMatching(/^old 0\n\n/)])
    await evict()
    await grow(4)
    await publishAll()
    const second = await serve(cosign)
    expect(second.outcomes).toEqual(['cosigned'])
    // From 3 to 7 leaves RFC 6962 has four hashes.
    expect(second.asked).toEqual([expect.stringMatching(/^old 3\n(?:[A-Za-z0-9+/=]{44}\n){4}\n/)])
  })

  it('is what it says itself, where it has more or has lost what it had; the checkpoint is served all the same', async () => {
    await grow(3)
    await publishAll()
    const told = (size: number) => async () =>
      new Response(`${size}\n`, { status: 409, headers: { 'content-type': 'text/x.tlog.size' } })
    expect((await serve(told(9))).outcomes).toEqual(['behind'])
    expect(await inLog(({ sql }) => new CosignedStore(sql).read())).toEqual(new Map([['witness.example', 9]]))
    const note = (await new PublicLogFiles(env.FILES).readCheckpoint())?.note ?? ''
    expect(note).toContain('\n3\n')
    expect(note).not.toContain('— witness.example')
  })
})
