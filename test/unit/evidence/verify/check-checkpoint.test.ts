// Findings about checkpoints: which keys have signed, how old they are, and whether one continues another.
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { formatCheckpoint } from '../../../../src/evidence/checkpoint/checkpoint.ts'
import { noteKey } from '../../../../src/evidence/checkpoint/note-key.ts'
import type { WitnessPolicy } from '../../../../src/evidence/checkpoint/witness-policy.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { checkCheckpoint, type CheckpointOptions } from '../../../../src/evidence/verify/check-checkpoint.ts'
import { parseMaxAge } from '../../../../src/evidence/verify/freshness.ts'
import { growTree } from '../../../fixtures/evidence/invented-evidence.ts'
import { type Cosigner, signTogether } from '../../../support/cosigner.ts'
import { AT, checkpointOf, logSigner, ORIGIN, signedBytes, witnessSigner } from '../checkpoint/made-checkpoint.ts'

const log = await logSigner()
const [witness, another] = [await witnessSigner('one.example'), await witnessSigner('two.example')]

const policyOf = (keys: readonly Cosigner[], witnesses: readonly Cosigner[] = [], quorum = witnesses.length) => ({
  log: keys.map(({ key }) => key),
  witnesses: witnesses.map(({ key }) => key),
  quorum,
})

const NOTHING = { older: null, freshness: null }

const check = async (bytes: Uint8Array, policy: WitnessPolicy, more: Partial<CheckpointOptions> = {}) =>
  checkCheckpoint(bytes, { policy, ...NOTHING, ...more })

const codesOf = async (...given: Parameters<typeof check>) => (await check(...given)).map(({ code }) => code)

describe('the keys of a log', () => {
  it('may be several, of which one signs, and the verdict names the others', async () => {
    const [found] = await check(await signedBytes([log]), policyOf([log, await logSigner('next')]))
    expect(found).toMatchObject({
      valid: true,
      subject: expect.stringMatching(/signed by \w{8} {2}not by \w{8}$/) as string,
    })
  })

  it('are no witnesses of it under any name', async () => {
    const asWitness = await witnessSigner('renamed.example', 'log')
    const next = await logSigner('next')
    // The other key of the log is all that this reader has been given.
    const bytes = await signedBytes([log, next, asWitness])
    expect(await codesOf(bytes, policyOf([next], [asWitness]))).toEqual(['log_is_witness'])
    // Lines that only look like the log's own are somebody else's.
    const line = `— ${ORIGIN} ${btoa(String.fromCharCode(...hexToBytes(ownId(witness)), ...new Uint8Array(64)))}\n`
    const spoilt = new Uint8Array([...(await signedBytes([log, witness])), ...utf8ToBytes(line)])
    expect(await codesOf(spoilt, policyOf([log], [witness]))).toEqual([null, null])
  })

  it('are keys of just its origin', async () => {
    const bytes = await signedBytes([log], checkpointOf(7, { origin: `${ORIGIN}x` }))
    expect(await codesOf(bytes, policyOf([log]))).toEqual(['other_origin'])
  })
})

const ownId = ({ key }: Cosigner): string => noteKey(ORIGIN, 'ed25519', key.publicKey).keyId

describe('the age of a checkpoint', () => {
  const MADE = AT / 1000
  const within = (seconds: number, after: number) => ({ freshness: { maxAge: seconds, now: MADE + after } })

  it('is that of the cosignatures of as many witnesses as are asked for', async () => {
    const bytes = await signedBytes([log, witness, another])
    const policy = policyOf([log], [witness, another])
    expect(await codesOf(bytes, policy, within(60, 60))).toEqual([null, null])
    expect(await codesOf(bytes, policy, within(60, 61))).toEqual([null, 'too_old'])
    // A time that is ahead of the clock shows nothing of an age.
    expect(await codesOf(bytes, policy, within(3600, -61))).toEqual([null, 'too_old'])
    expect(await codesOf(bytes, policy, within(3600, -60))).toEqual([null, null])
    const text = formatCheckpoint(checkpointOf(7))
    const [, later = ''] = (await signTogether(text, [another], AT + 100_000)).split('\n\n')
    const early = new TextDecoder().decode(await signedBytes([log, witness]))
    const mixed = utf8ToBytes(early + later)
    expect(await codesOf(mixed, policy, within(60, 120))).toEqual([null, 'too_old'])
    expect(await codesOf(mixed, { ...policy, quorum: 1 }, within(60, 120))).toEqual([null, null])
    expect(await codesOf(await signedBytes([log, witness]), policy, within(60, 60))).toEqual([null, 'not_proven'])
  })

  it('is unknown where no witness is given, because the log signs no time', async () => {
    expect(await codesOf(await signedBytes([log]), policyOf([log]), within(60, 0))).toEqual([null, 'not_proven'])
  })

  it.each([
    ['90s', 90],
    ['15m', 900],
    ['24h', 86_400],
    ['7d', 604_800],
    ['', null],
    ['0s', null],
    ['15', null],
    ['1.5h', null],
    ['-1h', null],
    ['1w', null],
    [' 1h', null],
    ['1h\n', null],
  ])('is given as text: %j', (text, seconds) => {
    expect(parseMaxAge(text)).toBe(seconds)
  })
})

describe('an older checkpoint', () => {
  const treeOf = (word: string) =>
    growTree(Array.from({ length: 300 }, (_, at) => hashLeaf(utf8ToBytes(`${word} ${at}`))))
  const [own, rewritten] = [treeOf('leaf'), treeOf('other')]
  const policy = policyOf([log])
  const signed = (tree: ReturnType<typeof treeOf>, size: number) =>
    signedBytes([log], checkpointOf(size, { root: tree.root(size) }))

  /** Findings about the growth from 257 to 300 leaves. */
  async function growthOf(
    older: typeof own,
    newer: typeof own,
    growth: NonNullable<CheckpointOptions['older']>['growth'],
  ) {
    const findings = await check(await signed(newer, 300), policy, {
      older: { bytes: await signed(older, 257), growth },
    })
    return findings.at(-1)?.code
  }
  const proofOf = (tree: typeof own) => ({ shownBy: 'proof', proof: tree.consistency(257) }) as const

  it('is continued where a proof is about both its root and the newer one’s', async () => {
    expect(await growthOf(own, own, proofOf(own))).toBeNull()
  })

  it('is not continued by a valid proof of a fork, whichever of the two roots is another', async () => {
    for (const proof of [proofOf(own), proofOf(rewritten)]) {
      expect(await growthOf(own, rewritten, proof)).toBe('proof_of_other_trees')
      expect(await growthOf(rewritten, own, proof)).toBe('proof_of_other_trees')
    }
  })

  it('is not continued by tiles that have only one of the two roots', async () => {
    const tilesOf = (first: typeof own, second: typeof own) =>
      ({ shownBy: 'tiles', rootsOf: () => Promise.resolve([first.root(257), second.root(300)] as const) }) as const
    expect(await growthOf(own, own, tilesOf(own, own))).toBeNull()
    expect(await growthOf(own, own, tilesOf(own, rewritten))).toBe('tiles_of_other_trees')
    expect(await growthOf(own, own, tilesOf(rewritten, own))).toBe('tiles_of_other_trees')
  })
})
