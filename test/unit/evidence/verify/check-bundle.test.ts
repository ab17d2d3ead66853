// An evidence bundle is believed as a whole: each part under a trusted key, each about the record, nothing beside.
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { keyIdOf } from '../../../../src/evidence/records/ed25519.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { signOrganisationHead, signPublicHead } from '../../../../src/evidence/records/tree-head.ts'
import { encodeEntry } from '../../../../src/evidence/entry.ts'
import type { PinnedTrust } from '../../../../src/evidence/records/verify-record.ts'
import { checkBundle } from '../../../../src/evidence/verify/check-call-evidence.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import {
  DAY,
  FACTS,
  growTree,
  leafOfRecord,
  makeEvidence,
  makeRecord,
  newKey,
  newKeyListed,
  NEXT_DAY,
  oldKey,
  OTHER,
  OWN,
  publishedKey,
  RETIRED,
  REVOKED,
  strangerKey,
  type Evidence,
  type PublishedKey,
  trustIn,
} from '../../../fixtures/evidence/invented-evidence.ts'

type Bundle = Evidence['bundle']

const pinned: PinnedTrust = { keys: [oldKey.publicKey] }

function read(bundle: object, change: (text: string) => string = (text) => text): JsonObject {
  const parsed = readJsonObject(new TextEncoder().encode(change(JSON.stringify(bundle))))
  if (!parsed.readable) throw new Error(parsed.fault)
  return parsed.object
}

/** Without the anchor, which has tests of its own. */
const check = (bundle: JsonObject, trust = pinned) =>
  checkBundle(bundle, { ...NO_OPTIONS, trust }).filter(({ kind }) => kind !== 'anchor')

/** Returns the faults, as `part: code`. */
const faultsOf = (bundle: object, trust = pinned, change?: (text: string) => string): string[] =>
  check(read(bundle, change), trust).flatMap(({ kind, valid, code }) => (valid ? [] : [`${kind}: ${code}`]))

const evidence = await makeEvidence()
const { bundle } = evidence
const elsewhere = await makeEvidence()

describe('an evidence bundle', () => {
  it('is good in all its parts under the key that is trusted', () => {
    expect(check(read(bundle)).map(({ kind, code }) => [kind, code])).toEqual(
      ['record', 'facts', 'organisation_log', 'public_log', 'settlement', 'keys'].map((kind) => [kind, null]),
    )
  })

  it('is good before it is settled, and before the public log has it', () => {
    const early = read({ ...bundle, settlement: null, public_log: null })
    expect(check(early).map(({ kind }) => kind)).toEqual(['record', 'facts', 'organisation_log', 'keys'])
    expect(faultsOf({ ...bundle, settlement: null, public_log: null })).toEqual([])
  })
})

describe('the facts of the decision', () => {
  const withSettlement = (content: object) => {
    const entry = encodeEntry('settlement', { ...evidence.content, ...content })
    return { ...bundle, settlement: { ...bundle.settlement, content, entry: encodeBase64url(entry) } }
  }
  const { v: _v, salt: _salt, ...bare } = FACTS

  it.each<[string, object, string]>([
    ['are changed', { ...bundle, facts: { ...FACTS, provider: 'anthropic' } }, 'facts_mismatch'],
    ['have another reason', { ...bundle, facts: { ...FACTS, reason: 'identifiers_found' } }, 'facts_mismatch'],
    ['are those of another call', { ...bundle, facts: { ...FACTS, salt: 'f'.repeat(32) } }, 'facts_mismatch'],
    ['have no salt and no form', { ...bundle, facts: bare }, 'facts_missing'],
    ['have no salt', { ...bundle, facts: { ...bare, v: 'facts-1' } }, 'facts_malformed'],
    ['have another whole hash in the settlement', withSettlement({ facts_sha256: 'a'.repeat(64) }), 'facts_mismatch'],
    ['have no whole hash in the settlement', withSettlement({ facts_sha256: 'A'.repeat(64) }), 'facts_malformed'],
  ])('are refused if they %s', (_, forged, code) => {
    expect(faultsOf(forged)).toContain(`facts: ${code}`)
  })

  it.each([
    ['another number', '"reserve_microeur":40', '"reserve_microeur":40.0'],
    ['a number of a time', '"retention_days":365', '"retention_days":3.65e2'],
  ])('are refused if they have %s in another form', (_, from, to) => {
    expect(faultsOf(bundle, pinned, (text) => text.replace(from, to))).toEqual(['facts: facts_malformed'])
  })

  it('may be left out, which is said; a bundle of the older form cannot have them', () => {
    const notesOf = (document: object) =>
      check(read(document)).flatMap(({ valid, code }) => (valid && code !== null ? [code] : []))
    const { facts, ...others } = bundle
    expect(notesOf({ ...bundle, facts: null })).toEqual(['facts_withheld'])
    const old = { ...others, format: 'countersign-evidence-v1' }
    expect(notesOf({ ...old, settlement: null })).toEqual(['facts_not_covered'])
    expect(faultsOf({ ...old, facts })).toEqual(['bundle: unknown_member'])
    expect(faultsOf(others)).toEqual(['bundle: missing_member'])
    expect(faultsOf({ ...bundle, facts: [] })).toEqual(['bundle: not_an_object'])
    // The settlement has a hash of them, so the log has covered facts.
    const { answer_salt: _answerSalt, ...settled } = bundle.settlement
    expect(check(read({ ...old, settlement: settled })).map(({ code }) => code)).toContain('facts_withheld')
    expect(faultsOf({ ...old, settlement: settled })).toEqual([])
  })
})

describe('a key that nobody trusts', () => {
  it('proves no part, whatever the bundle’s own list says', () => {
    expect(faultsOf(bundle, { keys: [strangerKey.publicKey] })).toEqual([
      'record: key_not_trusted',
      'organisation_log: signature_mismatch',
      'public_log: signature_mismatch',
      'settlement: signature_mismatch',
    ])
  })

  it('does not vouch for a record by its heads, nor for heads by its record', async () => {
    const forgedHeads = await makeEvidence({ headKey: strangerKey })
    const listed = { keys: [publishedKey(oldKey), publishedKey(strangerKey)] }
    expect(faultsOf({ ...forgedHeads.bundle, keys: listed })).toEqual([
      'organisation_log: signature_mismatch',
      'public_log: signature_mismatch',
      'settlement: signature_mismatch',
    ])
    const forgedRecord = await makeEvidence({ recordKey: strangerKey })
    expect(faultsOf({ ...forgedRecord.bundle, keys: listed })).toEqual(['record: key_not_trusted'])
  })
})

type Change = (bundle: Bundle) => object

const inLog =
  (log: 'organisation_log' | 'public_log', part: 'head' | 'proof', members: object): Change =>
  (given) => ({ ...given, [log]: { ...given[log], [part]: { ...given[log][part], ...members } } })

describe('a member too many', () => {
  it.each<[string, Change, string]>([
    ['in the bundle', (given) => ({ ...given, note: '' }), 'bundle: unknown_member'],
    ['in the record', (given) => ({ ...given, record: { ...given.record, note: '' } }), 'record: unknown_member'],
    [
      'in a log',
      (given) => ({ ...given, public_log: { ...given.public_log, heads: [] } }),
      'public_log: unknown_member',
    ],
    ['in a head', inLog('public_log', 'head', { outcome: 'ALLOWED' }), 'public_log: unknown_member'],
    ['in a proof', inLog('organisation_log', 'proof', { signature: 'x' }), 'organisation_log: unknown_member'],
    [
      'in the settlement',
      (given) => ({ ...given, settlement: { ...given.settlement, cost_microeur: 1 } }),
      'settlement: unknown_member',
    ],
    ['in the list of keys', (given) => ({ ...given, keys: { ...given.keys, trust: true } }), 'keys: unknown_member'],
  ])('%s', (_, change, fault) => {
    expect(faultsOf(change(bundle))).toContain(fault)
  })
})

describe('a member too few', () => {
  it.each(['record', 'settlement', 'organisation_log', 'public_log', 'keys'])('without %s', (name) => {
    const { [name as keyof Bundle]: _, ...others } = bundle
    expect(faultsOf(others)).toEqual(['bundle: missing_member'])
  })

  it.each(['record', 'organisation_log', 'keys'])('with %s that is null', (name) => {
    expect(faultsOf({ ...bundle, [name]: null })).toEqual(['bundle: not_an_object'])
  })

  it.each([undefined, null, 'countersign-evidence-v4', 1])('of the format %j', (format) => {
    expect(faultsOf({ ...bundle, format })).toEqual(['bundle: another_format'])
  })
})

describe('what is true of another record', () => {
  it.each<[string, Change, string]>([
    ['the record', (given) => ({ ...given, record: evidence.last }), 'organisation_log: leaf_mismatch'],
    [
      'the proof in the organisation’s log',
      (given) => inLog('organisation_log', 'proof', evidence.ownTree.inclusion(1))(given),
      'organisation_log: leaf_mismatch',
    ],
    [
      'the proof in the public log',
      (given) => inLog('public_log', 'proof', evidence.publicTree.inclusion(3))(given),
      'public_log: leaf_mismatch',
    ],
    [
      'the name in a proof',
      inLog('organisation_log', 'proof', { attestation_id: evidence.last.attestation_id }),
      'organisation_log: proof_of_another_log',
    ],
    [
      'the organisation in a proof',
      inLog('organisation_log', 'proof', { org_id: OTHER }),
      'organisation_log: proof_of_another_log',
    ],
  ])('%s', (_, change, fault) => {
    expect(faultsOf(change(bundle))).toContain(fault)
  })
})

describe('a head of another log', () => {
  it('an organisation’s, passed off as the public one', () => {
    const { organisation_log: log } = bundle
    expect(faultsOf({ ...bundle, public_log: log })).toEqual(['public_log: head_of_another_log'])
  })

  it('the public one, passed off as the organisation’s', () => {
    const { public_log: log } = bundle
    expect(faultsOf({ ...bundle, organisation_log: log })).toContain('organisation_log: head_of_another_log')
  })

  it('of another organisation, over the very same tree', async () => {
    const head = await signOrganisationHead({ orgId: OTHER, treeSize: 5, root: evidence.ownTree.root() }, oldKey)
    expect(faultsOf(inLog('organisation_log', 'head', head)(bundle))).toContain('organisation_log: head_of_another_log')
  })
})

describe('a head of another tree', () => {
  it('a smaller one of the same log', async () => {
    const head = await signOrganisationHead({ orgId: OWN, treeSize: 3, root: evidence.ownTree.root(3) }, oldKey)
    expect(faultsOf(inLog('organisation_log', 'head', head)(bundle))).toContain(
      'organisation_log: head_of_another_tree',
    )
  })

  it('one of the same size', async () => {
    const { public_log: log } = elsewhere.bundle
    expect(faultsOf(inLog('public_log', 'head', log.head)(bundle))).toEqual(['public_log: head_of_another_tree'])
  })

  it('a settlement’s proof at another size than the record’s', () => {
    const proof = { v: 1, org_id: OWN, ...evidence.ownTree.inclusion(3, 4) }
    expect(faultsOf({ ...bundle, settlement: { ...bundle.settlement, proof } })).toEqual([
      'settlement: head_of_another_tree',
    ])
  })
})

describe('a head that names another key than its own', () => {
  it.each([
    { public_key: newKey.publicKey },
    { key_id: keyIdOf(newKey.publicKey) },
    { public_key: newKey.publicKey, key_id: keyIdOf(newKey.publicKey) },
    { algorithm: 'RSA' },
  ])('%j', (members) => {
    expect(faultsOf(inLog('public_log', 'head', members)(bundle))).toContain('public_log: head_names_another_key')
  })
})

describe('times that contradict each other', () => {
  it('a record from after the head that includes it', async () => {
    const headAt = Date.parse(`${DAY}05:00:00Z`) - 1000
    const { bundle: early } = await makeEvidence({ headAt })
    expect(faultsOf(early)).toContain('public_log: record_after_head')
    // The head's second is the record's: heads have no fractions.
    const same = await makeEvidence({ headAt: Date.parse(`${DAY}05:00:00Z`) })
    expect(faultsOf(same.bundle)).toEqual([])
  })
})

describe('a settlement', () => {
  const { settlement } = bundle
  const withSettlement = (members: object): object => ({ ...bundle, settlement: { ...settlement, ...members } })

  it('of which the content is not what the entry says', () => {
    expect(faultsOf(withSettlement({ content: { ...settlement.content, cost_microeur: 0 } }))).toEqual([
      'settlement: not_a_settlement',
    ])
  })

  it.each<[string, string]>([
    ['no text at all', ''],
    ['with padding', `${settlement.entry}==`],
    ['of another kind', encodeBase64url(encodeEntry('operator_act', settlement.content))],
    ['without its content', encodeBase64url(encodeEntry('settlement', {}).subarray(0, 17))],
    ['a record', encodeBase64url(Uint8Array.of(0, ...new TextEncoder().encode(JSON.stringify(settlement.content))))],
  ])('whose entry is %s', (_, entry) => {
    expect(faultsOf(withSettlement({ entry }))).toEqual(['settlement: not_a_settlement'])
  })

  it('made up for the same content: its random bytes are others', () => {
    const entry = encodeBase64url(encodeEntry('settlement', settlement.content))
    expect(faultsOf(withSettlement({ entry }))).toEqual(['settlement: leaf_mismatch'])
  })

  it('of another record, which is really in the log', async () => {
    const own = await Promise.all([makeRecord(OWN), makeRecord(OWN)])
    const [first, second] = own
    const content = { ...settlement.content, settles: 0 }
    const entry = encodeEntry('settlement', content)
    const tree = growTree([leafOfRecord(first), leafOfRecord(second), hashLeaf(entry)])
    const head = await signOrganisationHead({ orgId: OWN, treeSize: 3, root: tree.root() }, oldKey)
    const made = {
      ...bundle,
      record: second,
      facts: null,
      organisation_log: { head, proof: tree.inclusion(1) },
      public_log: null,
      settlement: { settles: 0, content, entry: encodeBase64url(entry), proof: tree.inclusion(2), answer_salt: null },
    }
    expect(faultsOf(made)).toEqual(['settlement: settles_another'])
    expect(faultsOf({ ...made, settlement: { ...made.settlement, settles: 1 } })).toEqual([
      'settlement: settles_another',
    ])
  })

  it('without a member for the salt, or with one in a bundle of the older form', () => {
    const { answer_salt: _, ...unsalted } = bundle.settlement
    expect(faultsOf({ ...bundle, settlement: unsalted })).toEqual(['settlement: missing_member'])
    const { facts: _facts, ...others } = bundle
    const old = { ...others, format: 'countersign-evidence-v1' }
    expect(faultsOf(old)).toEqual(['settlement: unknown_member'])
    expect(faultsOf({ ...old, settlement: { ...unsalted, answer_salt: null } })).toEqual(['settlement: unknown_member'])
  })

  it('that says it settles another position', () => {
    expect(faultsOf(withSettlement({ settles: 1 }))).toEqual(['settlement: settles_another'])
  })
})

describe('numbers not written whole', () => {
  it.each<[string, string, string]>([
    ['"v":1,"attestation_id"', '"v":1.0,"attestation_id"', 'record: unsupported_version'],
    ['"settlement":{"settles":2', '"settlement":{"settles":2.0', 'settlement: settles_another'],
    ['"leaf_index":2', '"leaf_index":2.0', 'organisation_log: index_outside_tree'],
    ['"leaf_index":4,"tree_size":6', '"leaf_index":4,"tree_size":6e0', 'public_log: size_malformed'],
  ])('%s as %s', (whole, other, fault) => {
    expect(JSON.stringify(bundle)).toContain(whole)
    expect(faultsOf(bundle, pinned, (text) => text.replace(whole, other))).toContain(fault)
  })
})

describe('the bundle’s own list of keys', () => {
  it.each<[string, PublishedKey[], string]>([
    ['without the key that signed', [publishedKey(newKey)], 'keys: key_not_trusted'],
    ['where that key is revoked', [publishedKey(oldKey, REVOKED)], 'keys: key_revoked'],
    [
      'where that key ended before',
      [publishedKey(oldKey, { ...RETIRED, valid_until: `${DAY}04:58:59Z` })],
      'keys: outside_key_period',
    ],
    ['with a key twice', [publishedKey(oldKey), publishedKey(oldKey)], 'keys: key_twice'],
    ['with none', [], 'keys: not_a_list'],
  ])('takes trust away: %s', (_, keys, fault) => {
    expect(faultsOf({ ...bundle, keys: { keys } })).toEqual([fault])
  })

  it('gives none to a key that the caller’s list has revoked', () => {
    const trust = trustIn(publishedKey(oldKey, REVOKED))
    expect(faultsOf(bundle, trust)).toEqual([
      'record: key_revoked',
      'organisation_log: key_revoked',
      'public_log: key_revoked',
      'settlement: key_revoked',
    ])
  })
})

describe('a record under a key that was revoked', () => {
  const later = { headKey: newKey, headAt: Date.parse(`${NEXT_DAY}06:00:00Z`) }
  const revoked = (suspectedSince?: string): PublishedKey =>
    publishedKey(oldKey, { ...REVOKED, ...(suspectedSince === undefined ? {} : { suspected_since: suspectedSince }) })

  const judge = async (listed: PublishedKey, change: Change = (given) => given): Promise<string[]> => {
    const made = await makeEvidence(later)
    const keys = { keys: [newKeyListed, listed] }
    const trust = trustIn(newKeyListed, listed)
    return faultsOf(change({ ...made.bundle, keys }), trust)
  }

  it('counts when it is older than the suspicion, and in a log whose head another key has signed', async () => {
    expect(await judge(revoked(`${DAY}05:00:01Z`))).toEqual([])
    expect(await judge(revoked(`${DAY}05:00:01Z`), (given) => ({ ...given, public_log: null }))).toEqual([])
  })

  it.each([
    ['it is of the time of the suspicion', revoked(`${DAY}05:00:00Z`)],
    ['nobody says since when the key is suspected', revoked()],
  ])('does not when %s', async (_, listed) => {
    expect(await judge(listed)).toEqual(['record: key_revoked'])
  })

  it('does not when it is in no log that a good key has signed', async () => {
    const { others, publicTree } = evidence
    const change: Change = (given) => ({
      ...given,
      record: others[0],
      organisation_log: { ...given.organisation_log, proof: publicTree.inclusion(1) },
    })
    expect(await judge(revoked(`${DAY}05:00:01Z`), change)).toContain('record: key_revoked')
  })

  it('does not by heads that the revoked key has signed', async () => {
    const made = await makeEvidence()
    const listed = revoked(`${DAY}05:30:00Z`)
    const trust = trustIn(newKeyListed, listed)
    expect(faultsOf({ ...made.bundle, keys: { keys: [newKeyListed, listed] } }, trust)).toContain('record: key_revoked')
  })
})

describe('a rotation', () => {
  it('leaves a record good under the retired key, and its heads under the new one', async () => {
    const listed = [newKeyListed, publishedKey(oldKey, RETIRED)]
    const { bundle: rotated } = await makeEvidence({ headKey: newKey, headAt: Date.parse(`${NEXT_DAY}00:00:00Z`) })
    const trust = trustIn(...listed)
    expect(faultsOf({ ...rotated, keys: { keys: listed } }, trust)).toEqual([])
  })

  it('does not let the new key sign for the day before', async () => {
    const listed = [newKeyListed, publishedKey(oldKey, RETIRED)]
    const head = await signPublicHead(
      { treeSize: 6, root: evidence.publicTree.root(), at: Date.parse(`${DAY}23:58:59Z`) },
      newKey,
    )
    const trust = trustIn(...listed)
    const made = inLog('public_log', 'head', head)({ ...bundle, keys: { keys: listed } })
    expect(faultsOf(made, trust)).toContain('public_log: outside_key_period')
  })
})
