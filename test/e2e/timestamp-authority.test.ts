// The service asks a timestamp authority over HTTP: which tokens it takes, which it refuses, and that an hour has at most one.
import { createServer, type RequestListener } from 'node:http'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { listen, type RunningServer } from '../../scripts/local-http-server.ts'
import { makeAuthority, startAuthority, type Authority } from '../../scripts/local/servers/timestamp-authority.ts'
import {
  makeTimestampResponse,
  makeTimestampToken,
  readTimestampRequest,
  type TimestampTokenOptions,
} from '../../scripts/local/servers/timestamp-messages.ts'
import {
  CheckpointTimestamps,
  hourOf,
  isHour,
  askAuthority,
  type AuthorityRequest,
} from '../../src/public-log/checkpoint-timestamps.ts'
import { parseTimestampToken, parseTimestampedCheckpoint } from '../../src/evidence/timestamp/timestamp-token.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const IMPRINT = createHash('sha256').update('a note').digest()

let authority: Authority
let running: RunningServer
beforeAll(async () => {
  authority = await makeAuthority(NOON)
  running = await startAuthority(authority, { clock: () => NOON })
})
afterAll(() => running.close())

const ask = (url: string, more: Partial<AuthorityRequest> = {}) =>
  askAuthority({ url, imprint: IMPRINT, clock: () => NOON, fetch, limitMs: 60_000, ...more })

async function serving(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(listener))
  onTestFinished(close)
  return `${url}/`
}

const plainToken = (): Promise<Buffer> =>
  makeTimestampToken({ imprint: IMPRINT, nonce: null, time: NOON, signer: authority.signer, certificates: [] })

/** Serves an authority that changes its tokens in some way. */
const answering = (
  change: Partial<TimestampTokenOptions>,
  wrap: (token: Buffer) => Buffer = makeTimestampResponse,
): Promise<string> =>
  serving((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const query = readTimestampRequest(Buffer.concat(parts))
      const { signer } = authority
      const asked = { imprint: query?.imprint ?? Buffer.of(), nonce: query?.nonce ?? null }
      const token = makeTimestampToken({ ...asked, time: NOON, signer, certificates: [signer.certificate], ...change })
      token.then(
        (bytes) => response.end(wrap(bytes)),
        () => response.destroy(),
      )
    })
  })

describe('askAuthority', () => {
  it('has the imprint stamped, with the signer’s certificate', async () => {
    const answer = await ask(running.url)
    if (answer.outcome !== 'granted') throw new Error(answer.outcome)
    const token = parseTimestampToken(answer.token)
    expect(token).toMatchObject({ info: { time: NOON } })
    expect(token && Buffer.from(token.info.imprint)).toEqual(IMPRINT)
    expect(token?.certificates).toHaveLength(1)
  })

  it('never asks the same twice', async () => {
    const asked = new Set<string>()
    const url = await serving((request, response) => {
      request.on('data', (part: Buffer) => asked.add(part.toString('hex')))
      request.on('end', () => response.end())
    })
    await Promise.all([ask(url), ask(url), ask(url)])
    expect(asked.size).toBe(3)
  })

  it.each<[string, string, Partial<TimestampTokenOptions>]>([
    ['imprint_wrong', 'other bytes', { imprint: createHash('sha256').update('another').digest() }],
    ['nonce_wrong', 'another question', { nonce: Buffer.from('4000000000000000', 'hex') }],
    ['nonce_wrong', 'no question', { nonce: null }],
    ['time_wrong', 'another time', { time: NOON + 11 * 60_000 }],
    ['certificate_missing', 'no certificate', { certificates: [] }],
  ])('%s: takes no token of %s', async (outcome, _, change) => {
    expect(await ask(await answering(change))).toEqual({ outcome })
  })

  it.each<[string, string, RequestListener]>([
    ['rejected', 'a refusal', (_, response) => response.end(makeTimestampResponse(null))],
    ['answer_malformed', 'a page', (_, response) => response.end('<!doctype html><p>Welcome')],
    ['answer_malformed', 'nothing', (_, response) => response.end()],
    ['answer_too_large', 'a flood', (_, response) => response.end(Buffer.alloc(40_000, 0x30))],
    ['failed', 'an error', (_, response) => response.writeHead(500).end(makeTimestampResponse(null))],
    ['failed', 'a way elsewhere', (_, response) => response.writeHead(307, { location: running.url }).end()],
    ['unreachable', 'a broken connection', (request) => request.socket.destroy()],
  ])('%s: takes no token from %s', async (outcome, _, listener) => {
    expect(await ask(await serving(listener))).toEqual({ outcome })
  })

  it('waits no longer than it may', async () => {
    expect(await ask(await serving(() => {}), { limitMs: 50 })).toEqual({ outcome: 'timed_out' })
  })

  it('takes no token that is cut, wherever that is, or has something behind it', async () => {
    const token = await plainToken()
    expect(parseTimestampToken(token)).not.toBeNull()
    for (let length = 0; length < token.length; length += 1) {
      expect(parseTimestampToken(token.subarray(0, length)), `${length} bytes`).toBeNull()
    }
    expect(parseTimestampToken(Buffer.concat([token, Buffer.of(0)]))).toBeNull()
    const cut = await answering({}, (whole) => makeTimestampResponse(whole).subarray(0, -1))
    expect(await ask(cut)).toEqual({ outcome: 'answer_malformed' })
  })

  it('reads tokens with any byte changed without failing', async () => {
    const token = await plainToken()
    for (let at = 0; at < token.length; at += 1) {
      const changed = Buffer.from(token)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      expect(() => parseTimestampToken(changed)).not.toThrow()
    }
  })
})

describe('the timestamps of checkpoints', () => {
  /** Stands in for the files in R2. */
  function filesOf(note: string, signedAt = NOON) {
    const stored = new Map<string, string>()
    let isBroken = false
    const files = {
      readCheckpoint: () => Promise.resolve({ note, etag: '', signedAt }),
      hasTimestamp: (hour: string) => Promise.resolve(stored.has(hour)),
      storeTimestamp: (hour: string, text: string) => {
        if (isBroken) return Promise.reject(new Error('no storage'))
        stored.set(hour, text)
        return Promise.resolve()
      },
    }
    return {
      files,
      stored,
      breakDown: (broken: boolean) => void (isBroken = broken),
    }
  }

  it('are of the very note, once an hour, also after a restart', async () => {
    let asked = 0
    const counting: AuthorityRequest['fetch'] = (...call) => {
      asked += 1
      return fetch(...call)
    }
    const { files, stored } = filesOf('a note')
    const parts = { authority: running.url, files, clock: () => NOON, fetch: counting }
    const timestamps = new CheckpointTimestamps(parts)
    expect(await Promise.all([timestamps.stampIfDue(), timestamps.stampIfDue()])).toEqual(['stored', 'stored'])
    expect(await timestamps.stampIfDue()).toBe('nothing_due')
    expect(await new CheckpointTimestamps(parts).stampIfDue()).toBe('nothing_due')
    expect(asked).toBe(1)
    const kept = parseTimestampedCheckpoint(JSON.parse(stored.get('2026-11-20T12Z') ?? ''))
    expect(kept?.checkpoint).toBe('a note')
    const token = parseTimestampToken(kept?.token ?? new Uint8Array())
    expect(token && Buffer.from(token.info.imprint)).toEqual(IMPRINT)
  })

  it('are tried again a minute later, whether nobody answered or nothing could be stored', async () => {
    const { files, stored, breakDown } = filesOf('a note')
    let [now, isDown] = [NOON, true]
    const failing: AuthorityRequest['fetch'] = (...call) =>
      isDown ? Promise.reject(new Error('down')) : fetch(...call)
    const timestamps = new CheckpointTimestamps({ authority: running.url, files, clock: () => now, fetch: failing })
    expect(await timestamps.stampIfDue()).toBe('unreachable')
    expect(await timestamps.stampIfDue()).toBe('nothing_due')
    isDown = false
    now += 60_000
    breakDown(true)
    await expect(timestamps.stampIfDue()).rejects.toThrow('no storage')
    breakDown(false)
    now += 60_000
    expect(await timestamps.stampIfDue()).toBe('stored')
    expect([...stored.keys()]).toEqual(['2026-11-20T12Z'])
  })

  it('are tried again at once where the clock has stepped back', async () => {
    const { files } = filesOf('a note')
    let now = NOON + 86_400_000
    const timestamps = new CheckpointTimestamps({ authority: running.url, files, clock: () => now, fetch })
    expect(await timestamps.stampIfDue()).toBe('time_wrong')
    now = NOON
    expect(await timestamps.stampIfDue()).toBe('stored')
  })

  it('are named by the hour in UTC in which the checkpoint was signed', () => {
    expect(hourOf(Date.parse('2026-11-20T13:59:59.999Z'))).toBe('2026-11-20T13Z')
    expect(isHour('2026-11-20T13Z')).toBe(true)
    for (const text of ['', '2026-11-20T24Z', '2026-13-20T13Z', '2026-11-20', '2026-11-20T13', '../head'])
      expect(isHour(text), text).toBe(false)
  })
})
