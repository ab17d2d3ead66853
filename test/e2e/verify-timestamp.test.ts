// countersign-verify on timestamped checkpoints: whose word is taken for the time of one, and every way in which it is not.
import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  derOf,
  issueCertificate,
  pemOf,
  TIME_STAMPING,
  type CertificateOptions,
  type IssuedCertificate,
} from '../../scripts/local/servers/issue-certificate.ts'
import { makeTimestampToken, type TimestampTokenOptions } from '../../scripts/local/servers/timestamp-messages.ts'
import { readPemCertificates, readCertificate } from '../../scripts/verify/certificate.ts'
import { isSignedBy } from '../../scripts/verify/certificate-chain.ts'
import { checkTimestampToken, verifyTimestamp } from '../../scripts/verify/verify-timestamp.ts'
import { parseVkey } from '../../src/evidence/checkpoint/note-key.ts'
import { checkTimestampedCheckpoint, readTimestampedCheckpoint } from '../../src/evidence/verify/check-checkpoint.ts'
import { FindingsReport } from '../../src/evidence/verify/findings-report.ts'
import { formatTimestampedCheckpoint } from '../../src/evidence/timestamp/timestamp-token.ts'
import go from '../fixtures/checkpoints/go.json'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const YEAR_MS = 365 * 86_400_000
const NOTE = go.checkpoints.find(({ size }) => size === 300)?.cosigned ?? ''
const BYTES = Buffer.from(NOTE)

const issue = (
  name: string,
  issuer: IssuedCertificate | null,
  more: Partial<CertificateOptions> = {},
): Promise<IssuedCertificate> =>
  issueCertificate({ name, issuer, validFrom: NOON - YEAR_MS, validUntil: NOON + YEAR_MS, ...more })

const STAMPS = { purposes: [TIME_STAMPING] }
const ANY_LENGTH = { pathLength: 'any' } as const

let root: IssuedCertificate
let middle: IssuedCertificate
let signer: IssuedCertificate
beforeAll(async () => {
  root = await issue('Root', null, ANY_LENGTH)
  middle = await issue('Middle', root, { pathLength: 0 })
  signer = await issue('Signer', middle, STAMPS)
})

const token = (
  by: IssuedCertificate,
  others: readonly IssuedCertificate[],
  more: Partial<TimestampTokenOptions> = {},
): Promise<Buffer> =>
  makeTimestampToken({
    imprint: createHash('sha256').update(BYTES).digest(),
    nonce: null,
    time: NOON,
    signer: by,
    certificates: [by, ...others].map(({ certificate }) => certificate),
    ...more,
  })

const certificatesOf = (issued: readonly IssuedCertificate[]) =>
  issued.flatMap((one) => readCertificate(derOf(one)) ?? [])

const judge = (bytes: Uint8Array, trusted: readonly IssuedCertificate[] = [root]) =>
  verifyTimestamp(bytes, BYTES, certificatesOf(trusted))

const fault = (code: string) => ({ valid: false, fault: code })

describe('the word of an authority', () => {
  it('is taken where certificates lead to one that is trusted', async () => {
    const stamped = await token(signer, [middle])
    expect(judge(stamped)).toEqual({ valid: true, time: NOON, signer: 'CN=Signer' })
    expect(judge(stamped, [middle]).valid).toBe(true)
    expect(judge(stamped, [signer]).valid).toBe(true)
    expect(judge(await token(signer, [], { certificates: [] }), [root, middle, signer]).valid).toBe(true)
  })

  it('is taken by RSA and by longer digests too', async () => {
    const rsa = await issue('RSA', root, { ...STAMPS, key: 'rsa' })
    for (const hash of ['SHA-256', 'SHA-384', 'SHA-512'] as const) {
      expect(judge(await token(rsa, [], { hash })).valid).toBe(true)
      expect(judge(await token(signer, [middle], { hash })).valid).toBe(true)
    }
  })

  it.each([
    [2048, true],
    [1024, false],
  ])('is, by an RSA key of %i bits, taken: %s', (modulusLength, isTaken) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
    const rsaWithSha256 = '2a864886f70d01010b'
    const signature = sign('sha256', BYTES, privateKey)
    expect(isSignedBy(publicKey, { signedBytes: BYTES, signatureAlgorithm: rsaWithSha256, signature })).toBe(isTaken)
  })

  it('is of no use about other bytes, or where what it says or its signature is changed', async () => {
    const stamped = await token(signer, [middle])
    expect(verifyTimestamp(stamped, Buffer.from(`${NOTE}\n`), certificatesOf([root]))).toEqual(fault('imprint_wrong'))
    expect(judge(await token(signer, [middle], { imprint: new Uint8Array(32) }))).toEqual(fault('imprint_wrong'))
    const change = (from: string, to: string) => Buffer.from(stamped.toString('latin1').replace(from, to), 'latin1')
    expect(judge(change('20261120120000', '20261119120000'))).toEqual(fault('content_not_signed'))
    expect(judge(stamped.with(stamped.length - 1, (stamped.at(-1) ?? 0) ^ 1))).toEqual(fault('signature_wrong'))
    expect(judge(await token(signer, [middle], { digestOf: BYTES }))).toEqual(fault('content_not_signed'))
    const impostor: IssuedCertificate = { certificate: signer.certificate, key: middle.key }
    expect(judge(await token(impostor, [middle]))).toEqual(fault('signature_wrong'))
    expect(judge(stamped.subarray(0, -1))).toEqual(fault('token_malformed'))
  })

  it('is not taken where the signer’s certificate is missing, or not the one that is signed', async () => {
    expect(judge(await token(signer, [], { certificates: [middle.certificate] }))).toEqual(fault('signer_missing'))
    expect(judge(await token(signer, [middle], { named: middle }))).toEqual(fault('signer_not_named'))
    expect(judge(await token(signer, [middle], { named: null }))).toEqual(fault('signer_not_named'))
  })

  it.each<[string, Partial<CertificateOptions>]>([
    ['has no purpose', {}],
    ['has another purpose', { purposes: ['1.3.6.1.5.5.7.3.1'] }],
    ['has two purposes', { purposes: [TIME_STAMPING, '1.3.6.1.5.5.7.3.1'] }],
    ['may be used for other purposes', { ...STAMPS, arePurposesCritical: false }],
    ['issues certificates', { ...STAMPS, pathLength: 0 }],
  ])('is not taken by a certificate that %s', async (_, options) => {
    expect(judge(await token(await issue('Other', root, options), []))).toEqual(fault('purpose_wrong'))
  })

  it('is not taken of a time at which a certificate was not valid, and taken later of one at which all were', async () => {
    expect(judge(await token(signer, [middle], { time: NOON + YEAR_MS + 1000 }))).toEqual(fault('not_valid_then'))
    expect(judge(await token(signer, [middle], { time: NOON - YEAR_MS - 1000 }))).toEqual(fault('not_valid_then'))
    const ended = await issue('Ended', root, { pathLength: 0, validUntil: NOON - 1000 })
    const under = await issue('Under', ended, STAMPS)
    expect(judge(await token(under, [ended]))).toEqual(fault('chain_untrusted'))
    expect(judge(await token(under, [ended], { time: NOON - 2000 })).valid).toBe(true)
  })

  it('is not taken where the chain leads elsewhere, has a gap, or goes over a certificate that may not issue', async () => {
    const stranger = await issue('Root', null, ANY_LENGTH)
    expect(judge(await token(signer, [middle]), [stranger])).toEqual(fault('chain_untrusted'))
    expect(judge(await token(signer, [middle, root]), [stranger])).toEqual(fault('chain_untrusted'))
    expect(judge(await token(signer, []))).toEqual(fault('chain_untrusted'))
    expect(judge(await token(signer, [middle]), [])).toEqual(fault('chain_untrusted'))
    const leaf = await issue('Leaf', root)
    expect(judge(await token(await issue('Under', leaf, STAMPS), [leaf]))).toEqual(fault('chain_untrusted'))
    const third = await issue('Third', middle, ANY_LENGTH)
    const tooDeep = await token(await issue('Deep', third, STAMPS), [third, middle])
    expect(judge(tooDeep)).toEqual(fault('chain_untrusted'))
    const other = await issue('Other', root, { pathLength: 0, purposes: ['1.3.6.1.5.5.7.3.1'] })
    expect(judge(await token(await issue('Under', other, STAMPS), [other]))).toEqual(fault('chain_untrusted'))
  })

  it('is not taken of certificates that issue each other in a circle', async () => {
    const one = await issue('One', null, ANY_LENGTH)
    const two = await issue('Two', one, ANY_LENGTH)
    const crossed = await issue('One', two, ANY_LENGTH)
    expect(judge(await token(await issue('Under', two, STAMPS), [one, two, crossed]))).toEqual(fault('chain_untrusted'))
  })
})

const stamp = (checkpoint: string, bytes: Uint8Array) => formatTimestampedCheckpoint({ checkpoint, token: bytes })

describe('a document', () => {
  it('is a checkpoint and a token, and nothing else', async () => {
    const whole = stamp(NOTE, await token(signer, [middle]))
    expect(readTimestampedCheckpoint(Buffer.from(whole))).not.toBeNull()
    for (const change of [{ more: 1 }, { checkpoint: 1 }, { timestamp_token: 1 }, { timestamp_token: 'AA=' }]) {
      const changed = JSON.stringify({ ...(JSON.parse(whole) as object), ...change })
      expect(readTimestampedCheckpoint(Buffer.from(changed))).toBeNull()
    }
  })

  it('is not proven where no authority is given, and not valid where its token is damaged', async () => {
    const log = parseVkey(go.log_vkey)
    const policy = { log: log === null ? [] : [log], witnesses: [], quorum: 0 }
    const found = async (checkpoint: string, bytes: Uint8Array) => {
      const report = new FindingsReport()
      const stamped = readTimestampedCheckpoint(Buffer.from(stamp(checkpoint, bytes)))
      if (stamped !== null)
        report.add(await checkTimestampedCheckpoint(stamped, { policy, older: null, freshness: null }, null))
      return [report.verdict(), report.toJson().findings.at(-1)?.code]
    }
    const stamped = await token(signer, [middle])
    expect(await found(NOTE, stamped)).toEqual(['not_proven', 'not_proven'])
    expect(await found(NOTE, stamped.subarray(0, -1))).toEqual(['invalid', 'token_malformed'])
    expect(await found(NOTE, Buffer.from('AAAA'))).toEqual(['invalid', 'token_malformed'])
    const ofAnother = await token(signer, [middle], { imprint: new Uint8Array(32) })
    expect(await found(NOTE, ofAnother)).toEqual(['invalid', 'imprint_wrong'])
  })

  it('is too old where its token is: a token never shows that it is fresh', async () => {
    const bytes = await token(signer, [middle])
    const judged = (maxAge: number, now: number) =>
      checkTimestampToken(bytes, BYTES, {
        authorities: certificatesOf([root]),
        freshness: { maxAge, now: NOON / 1000 + now },
      })
    expect(judged(60, 60)).toMatchObject({ valid: true })
    expect(judged(60, 61)).toMatchObject({ valid: false, code: 'too_old' })
  })

  it('is judged by certificates in PEM', () => {
    expect(readPemCertificates(Buffer.from(`as kept\n${pemOf(root)}${pemOf(middle)}`))).toHaveLength(2)
    expect(readPemCertificates(Buffer.from('none'))).toBeNull()
    expect(
      readPemCertificates(Buffer.from(pemOf(root).replace('MII', 'AAA').replace('MIH', 'AAA').replace('MIG', 'AAA'))),
    ).toBeNull()
  })
})

describe('countersign-verify', () => {
  const folder = makeTemporaryFolder()
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/countersign-verify.ts', ...args], {
      encoding: 'utf8',
    })
    return { status, said: stdout + stderr }
  }

  it('checks the note, its witnesses and the token', async () => {
    const stamped = await token(signer, [middle])
    const document = file('hour.json', formatTimestampedCheckpoint({ checkpoint: NOTE, token: stamped }))
    const authority = ['--authority', file('root.pem', pemOf(root))]
    const { status, said } = run(document, '--log', go.log_vkey, '--witness', go.witness_vkey, ...authority)
    expect(said).toContain('valid       checkpoint')
    expect(said).toContain('valid       witnesses')
    expect(said).toContain('valid       timestamp  there at 2026-11-20T12:00:00Z, by the word of CN=Signer')
    expect(status).toBe(0)

    const changed = file(
      'changed.json',
      formatTimestampedCheckpoint({ checkpoint: NOTE.replace('\n300\n', '\n301\n'), token: stamped }),
    )
    const wrong = run(changed, '--log', go.log_vkey, ...authority)
    expect(wrong.status).toBe(1)
    expect(wrong.said).toContain('(signature_wrong)')
    expect(wrong.said).toContain('(imprint_wrong)')
  })

  it('ends with 1 where the authority is missing, and with 2 where it is none, or somebody’s at an address', () => {
    const log = ['--log', go.log_vkey]
    const unproven = run(join(folder, 'hour.json'), ...log)
    expect(unproven.status).toBe(1)
    expect(unproven.said).toContain('not proven  timestamp')
    expect(run('hour.json', '--authority', 'root.pem').status).toBe(2)
    expect(run(file('note', NOTE), ...log, '--authority', file('root.pem', pemOf(root))).said).toContain(
      '(not_a_timestamp)',
    )
    expect(run('hour.json', ...log, '--authority', 'https://tsa.example/root.pem').said).toContain('not a URL')
    expect(run('hour.json', ...log, '--authority', file('empty.pem', '')).status).toBe(2)
  })
})

describe('OpenSSL', () => {
  const isThere = spawnSync('openssl', ['version']).status === 0

  it.runIf(isThere)('finds the same of the same tokens', async () => {
    const folder = makeTemporaryFolder()
    const at = (name: string) => join(folder, name)
    writeFileSync(at('root.pem'), pemOf(root))
    writeFileSync(at('note'), NOTE)
    const agrees = (stamped: Uint8Array): boolean => {
      writeFileSync(at('token'), stamped)
      const args = ['-token_in', '-in', at('token'), '-data', at('note'), '-CAfile', at('root.pem')]
      return spawnSync('openssl', ['ts', '-verify', ...args, '-attime', String(NOON / 1000)]).status === 0
    }
    const twoPurposes = await issue('Other', root, { purposes: [TIME_STAMPING, '1.3.6.1.5.5.7.3.1'] })
    const tokens = await Promise.all([
      token(signer, [middle]),
      token(signer, []),
      token(signer, [middle], { named: middle }),
      token(signer, [middle], { imprint: new Uint8Array(32) }),
      token(signer, [middle], { digestOf: BYTES }),
      token(twoPurposes, []),
    ])
    expect(tokens.map(agrees)).toEqual([true, false, false, false, false, false])
    expect(tokens.map((stamped) => judge(stamped).valid)).toEqual([true, false, false, false, false, false])
  })
})
