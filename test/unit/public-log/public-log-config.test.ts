// The settings of checkpoints: which key signs when, and which settings are named as wrong.
import { describe, expect, it } from 'vitest'
import { LOG_KEY_SETTINGS, seedSettingOf } from '../../../src/evidence/records/configured-keys.ts'
import { publicKeyOf } from '../../../src/evidence/records/signing-key.ts'
import { logSignerAt, readLogConfig } from '../../../src/public-log/public-log-config.ts'
import { formatVkey, noteKey, noteKeyFromBase64url } from '../../../src/evidence/checkpoint/note-key.ts'
import { AT, witnessSigner } from '../evidence/checkpoint/made-checkpoint.ts'

const seedOf = (byte: number) => new Uint8Array(32).fill(byte)
const keyOf = (byte: number, more: object = {}) => ({
  public_key: publicKeyOf(seedOf(byte)),
  status: 'active',
  valid_from: '2025-01-01T00:00:00Z',
  valid_until: null,
  ...more,
})
const ENDED = { valid_until: '2025-02-01T00:00:00Z' }
const seedSetting = (byte: number) => ({
  [seedSettingOf(publicKeyOf(seedOf(byte)), LOG_KEY_SETTINGS)]: seedOf(byte).toHex(),
})

const deployment = {
  environment: 'production' as const,
  signingPepper: { version: '1', bytes: seedOf(9) },
  signIn: {
    publicOrigin: 'https://countersign.example',
    signUp: 'invited',
    mail: { sender: 'none' },
    identityProviders: [],
  },
} as const
const local = { ...deployment, environment: 'local', signIn: { ...deployment.signIn, publicOrigin: null } } as const

const settings = { LOG_KEYS: JSON.stringify([keyOf(1)]), ...seedSetting(1) }
const ORIGIN = 'countersign.example/v1/public/transparency'

async function signingKey(given: object, at = AT): Promise<string | null> {
  const { log } = readLogConfig({ ...given }, deployment)
  if (log === null) return 'no log'
  const signer = await logSignerAt(log, at)
  return signer && formatVkey(signer.key)
}

const vkey = (byte: number) => formatVkey(noteKeyFromBase64url(ORIGIN, 'ed25519', publicKeyOf(seedOf(byte))))

describe('the log’s keys', () => {
  it('sign under the name of the log: the public address without its scheme, or what is set', () => {
    expect(readLogConfig(settings, deployment).log?.origin).toBe(ORIGIN)
    expect(readLogConfig({ ...settings, LOG_ORIGIN: 'log.example/1' }, deployment).log?.origin).toBe('log.example/1')
    expect(readLogConfig({}, local).log?.origin).toBe('localhost/v1/public/transparency')
  })

  it('are none where none is set, and nothing is wrong with that', () => {
    expect(readLogConfig({}, deployment)).toEqual({ log: null, wrong: [] })
    expect(readLogConfig({ LOG_KEYS: '[]' }, deployment)).toEqual({ log: null, wrong: [] })
  })

  it('are made on a developer’s machine, apart from those of attestations', () => {
    const { log } = readLogConfig({}, local)
    expect(log?.keys.isThrowAway).toBe(true)
    expect(readLogConfig({ LOG_KEYS: '[]' }, local).log).toBeNull()
  })

  it('sign from their time on, and the newest of them', async () => {
    const next = { ...keyOf(2), valid_from: '2027-01-01T00:00:00Z' }
    const rotating = { LOG_KEYS: JSON.stringify([next, keyOf(1)]), ...seedSetting(1), ...seedSetting(2) }
    expect(await signingKey(rotating)).toBe(vkey(1))
    expect(await signingKey(rotating, Date.parse('2027-01-01T00:00:00Z'))).toBe(vkey(2))
  })

  it.each(['retired', 'revoked'])('never sign once they are %s, though their seed is there', async (status) => {
    const ended = keyOf(2, { status, ...ENDED })
    const both = { ...seedSetting(1), ...seedSetting(2) }
    expect(await signingKey({ LOG_KEYS: JSON.stringify([ended, keyOf(1)]), ...both })).toBe(vkey(1))
    expect(await signingKey({ LOG_KEYS: JSON.stringify([ended]), ...both })).toBeNull()
  })

  it('that lack their seed do not sign and are named, while the others sign on', async () => {
    const history = JSON.stringify([keyOf(2), keyOf(1)])
    expect(readLogConfig({ ...settings, LOG_KEYS: history }, deployment).wrong).toEqual(Object.keys(seedSetting(2)))
    expect(await signingKey({ ...settings, LOG_KEYS: history })).toBe(vkey(1))
  })

  it('are refused where one of them signs receipts', () => {
    expect(readLogConfig({ ...settings, ATTESTATION_KEYS: settings.LOG_KEYS }, deployment)).toEqual({
      log: null,
      wrong: ['LOG_KEYS'],
    })
  })
})

describe('witnesses', () => {
  const witness = async (name: string, url = `https://${name}`, words = name) => ({
    vkey: formatVkey((await witnessSigner(name, words)).key),
    url,
  })
  const read = (witnesses: unknown, more: object = {}, where: typeof deployment | typeof local = deployment) =>
    readLogConfig({ ...settings, WITNESSES: JSON.stringify(witnesses), ...more }, where)

  it('are asked where they say, and all of them are wanted unless a quorum is set', async () => {
    const two = [await witness('one.example'), await witness('two.example', 'https://two.example/w/')]
    expect(read(two).log).toMatchObject({
      quorum: 2,
      witnesses: [{ url: 'https://one.example' }, { url: 'https://two.example/w' }],
    })
    expect(read(two, { WITNESS_QUORUM: '1' }).log?.quorum).toBe(1)
  })

  it('are on this machine while developing, and nowhere else without TLS', async () => {
    const here = [await witness('one.example', 'http://127.0.0.1:8790')]
    expect(read(here, {}, local).log?.witnesses).toHaveLength(1)
    expect(read(here).wrong).toEqual(['WITNESSES[0].url'])
  })

  it('are named where they are wrong, whatever is wrong with them', async () => {
    const one = await witness('one.example')
    const isLog = formatVkey(noteKey('one.example', 'cosignature', (await logKey()).publicKey))
    expect(readLogConfig({ ...settings, WITNESSES: '{' }, deployment).wrong).toEqual(['WITNESSES'])
    expect(read({}).wrong).toEqual(['WITNESSES'])
    expect(read([{ ...one, more: 1 }]).wrong).toEqual(['WITNESSES[0]'])
    expect(read([{ ...one, vkey: 'one.example+00000000+AAAA' }]).wrong).toEqual(['WITNESSES[0].vkey'])
    expect(read([{ ...one, url: 'https://a:b@one.example' }]).wrong).toEqual(['WITNESSES[0].url'])
    expect(read([one, await witness('two.example', 'https://two.example', 'one.example')]).wrong).toEqual(['WITNESSES'])
    expect(read([{ ...one, vkey: isLog }]).wrong).toEqual(['WITNESSES'])
    expect(read([{ ...one, vkey: vkey(1) }]).wrong).toEqual(['WITNESSES'])
    expect(read([one], { WITNESS_QUORUM: '2' }).wrong).toEqual(['WITNESS_QUORUM'])
    expect(read([one], { WITNESS_QUORUM: 'many' }).wrong).toEqual(['WITNESS_QUORUM'])
    expect(read([one], { LOG_ORIGIN: 'a b' }).wrong).toEqual(['LOG_ORIGIN'])
  })

  const logKey = async () => noteKeyFromBase64url(ORIGIN, 'ed25519', publicKeyOf(seedOf(1)))
})
