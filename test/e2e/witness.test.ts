// A witness over HTTP, written apart from the service, and the service's asking of it: what is cosigned, what never is, and
// that no witness holds a checkpoint back.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../scripts/local-http-server.ts'
import { startWitness, type RunningWitness } from '../../scripts/local/servers/witness.ts'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { formatAddCheckpoint } from '../../src/public-log/ask-witnesses.ts'
import { askWitnesses, type CosigningRequest, type Witness } from '../../src/public-log/ask-witnesses.ts'
import { decodeBase64 } from '../../src/evidence/records/base64.ts'
import { formatCheckpoint } from '../../src/evidence/checkpoint/checkpoint.ts'
import { parseVkey } from '../../src/evidence/checkpoint/note-key.ts'
import { ed25519Signer, signNote } from '../../src/evidence/checkpoint/note-signature.ts'
import { verifyCheckpoint } from '../../src/evidence/checkpoint/witness-policy.ts'
import go from '../fixtures/checkpoints/go.json'

type Made = (typeof go.checkpoints)[number]

const AT = 1_763_700_000_000
const NAME = 'witness.example/w1'

let folder: string
let witness: RunningWitness
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'witness-'))
  witness = await start()
})
afterEach(async () => {
  await witness.close()
  rmSync(folder, { recursive: true })
})

const start = () => startWitness({ folder, name: NAME, logs: [go.log_vkey], clock: () => AT })

const made = (size: number): Made => {
  const found = go.checkpoints.find((checkpoint) => checkpoint.size === size)
  if (found === undefined) throw new Error(`no checkpoint of ${size} leaves`)
  return found
}

const proofTo = (size: number): Uint8Array[] =>
  made(size).consistency.map((hash) => decodeBase64(hash) ?? new Uint8Array())

const submission = (
  size: number,
  oldSize = made(size).old_size,
  proof = oldSize === size ? [] : proofTo(size),
): string => formatAddCheckpoint({ oldSize, proof, checkpoint: made(size).note })

async function post(body: string) {
  const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const keyOf = (vkey: string) => {
  const key = parseVkey(vkey)
  if (key === null) throw new Error('no vkey')
  return key
}

/** As the log signs it, of whatever tree. */
async function signed(
  size: number,
  root: Uint8Array,
  { seed = go.log_seed, origin = go.origin } = {},
): Promise<string> {
  const signer = ed25519Signer(origin, await importSigningKey(hexToBytes(seed)))
  return signNote(formatCheckpoint({ origin, size, root, extensions: [] }), signer)
}

const FORKED = new Uint8Array(32).fill(7)

describe('a witness', () => {
  it('cosigns each checkpoint that continues the one before', async () => {
    for (const { size, note } of go.checkpoints) {
      const { status, text } = await post(submission(size))
      expect(status).toBe(200)
      const policy = { log: [keyOf(go.log_vkey)], witnesses: [keyOf(witness.vkey)], quorum: 1 }
      expect(verifyCheckpoint(utf8ToBytes(note + text), policy)).toMatchObject({
        hasQuorum: true,
        cosigned: [{ name: NAME, seconds: AT / 1000 }],
      })
    }
  })

  it('cosigns the same tree again, and refuses a replay of an older one with the size it has', async () => {
    await post(submission(1, 0, []))
    expect((await post(submission(2))).status).toBe(200)
    expect((await post(submission(2, 2))).status).toBe(200)
    expect(await post(submission(1, 0, []))).toEqual({ status: 409, type: 'text/x.tlog.size', text: '2\n' })
    expect(await post(submission(7, 0, []))).toEqual({ status: 409, type: 'text/x.tlog.size', text: '2\n' })
  })

  it('refuses the same size with another root, and a larger tree that does not continue its own', async () => {
    await post(submission(7, 0, []))
    const other = formatAddCheckpoint({ oldSize: 7, proof: [], checkpoint: await signed(7, FORKED) })
    expect((await post(other)).status).toBe(422)
    const fork = formatAddCheckpoint({ oldSize: 7, proof: proofTo(8), checkpoint: await signed(8, FORKED) })
    expect((await post(fork)).status).toBe(422)
    expect((await post(submission(8))).status).toBe(200)
  })

  it('refuses a proof that is wrong, cut short, too long, or given where none belongs', async () => {
    await post(submission(7, 0, []))
    const [first = FORKED, ...rest] = proofTo(8)
    expect((await post(submission(8, 7, [FORKED, ...rest]))).status).toBe(422)
    expect((await post(submission(8, 7, rest))).status).toBe(422)
    expect((await post(submission(8, 7, []))).status).toBe(422)
    expect((await post(submission(8, 7, [first, ...rest, FORKED]))).status).toBe(422)
    expect((await post(submission(7, 7, [first]))).status).toBe(422)
    const tooLong = Array.from({ length: 64 }, () => FORKED)
    expect((await post(submission(8, 7, tooLong))).status).toBe(400)
  })

  it('refuses what the log has not signed, and logs that it does not watch', async () => {
    const forged = formatAddCheckpoint({
      oldSize: 0,
      proof: [],
      checkpoint: await signed(1, FORKED, { seed: go.witness_seed }),
    })
    expect((await post(forged)).status).toBe(403)
    const changed = submission(1, 0, []).replace(/^1$/m, '2')
    expect((await post(changed)).status).toBe(403)
    const unknown = await signed(1, FORKED, { origin: 'other.example' })
    expect((await post(formatAddCheckpoint({ oldSize: 0, proof: [], checkpoint: unknown }))).status).toBe(404)
  })

  it.each([
    ['nothing', ''],
    ['no old size', submission(1, 0, []).replace('old 0\n', '')],
    ['an old size with a leading zero', submission(1, 0, []).replace('old 0', 'old 00')],
    ['an old size larger than the new', submission(1, 0, []).replace('old 0', 'old 2')],
    ['carriage returns', submission(1, 0, []).replaceAll('\n', '\r\n')],
    ['no checkpoint', 'old 0\n\n'],
  ])('refuses %s', async (_, body) => {
    expect((await post(body)).status).toBe(400)
  })

  it('lets one of two submissions at once win, and tells the other what it has', async () => {
    const answers = await Promise.all([post(submission(1, 0, [])), post(submission(7, 0, []))])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const winner = answers[0]?.status === 200 ? 1 : 7
    expect(answers.find(({ status }) => status === 409)?.text).toBe(`${winner}\n`)
  })

  it('remembers over a restart what it cosigned, and does not start without it', async () => {
    await post(submission(7, 0, []))
    const { vkey } = witness
    await witness.close()
    witness = await start()
    expect(witness.vkey).toBe(vkey)
    expect((await post(submission(1, 0, []))).text).toBe('7\n')
    await witness.close()
    rmSync(join(folder, 'cosigned.json'))
    await expect(start()).rejects.toThrow('cosigned.json is missing')
  })

  it('begins with what it stored last where it was cut off while it stored more', async () => {
    await post(submission(7, 0, []))
    await witness.close()
    writeFileSync(join(folder, 'cosigned.json.new'), '{"')
    witness = await start()
    expect((await post(submission(1, 0, []))).text).toBe('7\n')
    expect((await post(submission(7, 7))).status).toBe(200)
  })

  it('does not start where another runs, of this process or of another, and does once that was killed', async () => {
    const another = /^Another witness runs in .*\. Two with one key could cosign what contradicts each other\.$/
    await expect(start()).rejects.toThrow(another)
    await witness.close()
    const args = ['--log', go.log_vkey, '--folder', folder, '--port', '0']
    const first = spawn('node', ['scripts/local.ts', 'witness', ...args])
    onTestFinished(() => void first.kill('SIGKILL'))
    await once(first.stdout, 'data')
    await expect(start()).rejects.toThrow(another)
    const second = spawn('node', ['scripts/local.ts', 'witness', ...args])
    const [said, [status]] = await Promise.all([textOf(second.stderr), once(second, 'exit') as Promise<[number]>])
    expect([said.trim(), status]).toEqual([expect.stringMatching(another), 1])
    first.kill('SIGKILL')
    await once(first, 'exit')
    witness = await start()
    expect((await post(submission(7, 0, []))).status).toBe(200)
  })

  it('has stored what it answers', async () => {
    await post(submission(7, 0, []))
    expect(JSON.parse(readFileSync(join(folder, 'cosigned.json'), 'utf8'))).toEqual({
      [go.origin]: { size: '7', root: made(7).root },
    })
  })
})

describe('askWitnesses', () => {
  const ask = (size: number, witnesses: readonly Witness[], more: Partial<CosigningRequest> = {}) =>
    askWitnesses({
      witnesses,
      checkpoint: { note: made(size).note, text: made(size).text, size },
      consistency: (oldSize) => Promise.resolve(oldSize === made(size).old_size ? proofTo(size) : null),
      remembered: new Map(),
      fetch,
      limitMs: 60_000,
      ...more,
    })

  const running = (): Witness => ({ key: keyOf(witness.vkey), url: witness.url })

  /** Answers every call alike, as no witness should. */
  async function misbehaving(answer: Parameters<typeof createServer>[1]): Promise<Witness> {
    const { url, close } = await listen(createServer(answer))
    onTestFinished(close)
    return { key: keyOf(go.witness_vkey), url }
  }

  it('gives a line that makes the checkpoint a cosigned one', async () => {
    const [answer] = await ask(1, [running()])
    expect(answer).toMatchObject({ witness: NAME, outcome: 'cosigned', size: 1 })
    const policy = { log: [keyOf(go.log_vkey)], witnesses: [keyOf(witness.vkey)], quorum: 1 }
    expect(verifyCheckpoint(utf8ToBytes(made(1).note + (answer?.line ?? '')), policy)).toMatchObject({
      hasQuorum: true,
    })
  })

  it('asks again from the size that the witness has, once', async () => {
    await post(submission(7, 0, []))
    expect(await ask(8, [running()])).toMatchObject([{ outcome: 'cosigned', size: 8 }])
    expect(await ask(8, [running()], { remembered: new Map([[NAME, 8]]) })).toMatchObject([{ outcome: 'cosigned' }])
    const mistaken = { remembered: new Map([[NAME, 2]]), consistency: () => Promise.resolve([FORKED]) }
    expect(await ask(8, [running()], mistaken)).toMatchObject([{ outcome: 'cosigned', size: 8 }])
  })

  it('says so where the witness has a larger tree, another tree, or one that there is no proof from', async () => {
    await post(submission(7, 0, []))
    expect(await ask(2, [running()])).toMatchObject([{ outcome: 'behind', size: 7, line: null }])
    expect(await ask(255, [running()])).toMatchObject([{ outcome: 'unprovable' }])
    const consistency = () => Promise.resolve([FORKED])
    expect(await ask(8, [running()], { consistency })).toMatchObject([{ outcome: 'proof_refused' }])
    const failing = () => Promise.reject(new Error('no tile'))
    expect(await ask(8, [running()], { consistency: failing })).toMatchObject([{ outcome: 'unprovable' }])
  })

  it('says so where the witness has cosigned another root of the same size', async () => {
    await post(formatAddCheckpoint({ oldSize: 0, proof: [], checkpoint: await signed(7, FORKED) }))
    expect(await ask(7, [running()])).toMatchObject([{ outcome: 'other_root', line: null }])
    expect(await ask(7, [running()], { remembered: new Map([[NAME, 7]]) })).toMatchObject([{ outcome: 'other_root' }])
  })

  it('understands one that says so with 409, as the first version of tlog-witness had it', async () => {
    const untold = await misbehaving((_, response) => response.writeHead(409).end())
    expect(await ask(7, [untold], { remembered: new Map([[NAME, 7]]) })).toMatchObject([{ outcome: 'other_root' }])
    const told = await misbehaving((_, response) => response.writeHead(409, TLOG_SIZE).end('7\n'))
    expect(await ask(7, [told])).toMatchObject([{ outcome: 'other_root', size: 7, line: null }])
  })

  const cosigned = (size: number) => made(size).cosigned.slice(made(size).note.length)

  it.each<[string, string, Parameters<typeof createServer>[1]]>([
    ['cosignature_missing', 'an unknown key', (_, response) => response.end(made(1).note.split('\n\n')[1])],
    ['cosignature_wrong', 'another checkpoint', (_, response) => response.end(cosigned(2))],
    ['answer_malformed', 'no line', (_, response) => response.end('thank you\n')],
    ['answer_malformed', 'nothing', (_, response) => response.end()],
    ['answer_malformed', 'another text', (_, response) => response.end(`more\n\n${cosigned(1)}`)],
    ['answer_too_large', 'a flood', (_, response) => response.end('—'.repeat(20_000))],
    ['conflict', 'a size without its type', (_, response) => response.writeHead(409).end('1\n')],
    ['conflict', 'a size that is none', (_, response) => response.writeHead(409, TLOG_SIZE).end('01\n')],
    ['conflict', 'the size it was asked from', (_, response) => response.writeHead(409, TLOG_SIZE).end('0\n')],
    ['behind', 'a larger size', (_, response) => response.writeHead(409, TLOG_SIZE).end('2\n')],
    ['request_refused', '400', (_, response) => response.writeHead(400).end()],
    ['log_signature_refused', '403', (_, response) => response.writeHead(403).end()],
    ['origin_unknown', '404', (_, response) => response.writeHead(404).end()],
    ['proof_refused', '422', (_, response) => response.writeHead(422).end()],
    ['failed', '500', (_, response) => response.writeHead(500).end()],
    ['failed', 'a redirect', (_, response) => response.writeHead(307, { location: witness.url }).end()],
    ['unreachable', 'a broken connection', (request) => request.socket.destroy()],
  ])('is %s, and takes no line, of a witness that answers %s', async (outcome, _, answer) => {
    expect(await ask(1, [await misbehaving(answer)])).toMatchObject([{ outcome, line: null }])
  })

  it('takes the line of its key among those of others', async () => {
    const both = made(1).note.split('\n\n')[1] + cosigned(1)
    const [answer] = await ask(1, [await misbehaving((_, response) => response.end(both))])
    expect(answer).toMatchObject({ outcome: 'cosigned', line: cosigned(1) })
  })

  it('waits for none longer than its time, and takes what the others gave', async () => {
    const silent = await misbehaving(() => undefined)
    const dripping = await misbehaving((_, response) => void response.writeHead(200).write('—'))
    // As long as the one that answers needs, however slow the machine is.
    let limitMs = 250
    const outcomes = async () => {
      limitMs *= 2
      const answers = await ask(1, [silent, running(), dripping], { limitMs })
      return answers.map(({ outcome }) => outcome)
    }
    await expect.poll(outcomes, { timeout: 120_000 }).toEqual(['timed_out', 'cosigned', 'timed_out'])
  })
})

const TLOG_SIZE = { 'content-type': 'text/x.tlog.size' }
