// A log of three receipts whose bytes, hashes and signatures were made elsewhere.
import { describe, expect, it } from 'vitest'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { type UnsignedRecord, signRecord } from '../../../../src/evidence/records/attestation-record.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { hashLeaf, hashNode } from '../../../../src/evidence/tree/merkle-hash.ts'
import known from '../../../fixtures/attestation/tree.json'

describe.each(known.leaves)('the receipt $record.attestation_id', ({ record, entry, leaf_hash, signature }) => {
  it('has these very bytes and this hash as a leaf', () => {
    const bytes = receiptEntry(record)
    expect(bytes.toHex()).toBe(entry)
    expect(hashLeaf(bytes).toHex()).toBe(leaf_hash)
  })

  it('has this very signature', async () => {
    const key = await importSigningKey(Uint8Array.fromHex(known.issuer_seed))
    expect(await signRecord(record as UnsignedRecord, key)).toEqual({ ...record, signature })
  })
})

it('the tree of all three has this root', () => {
  const [first, second, third] = known.leaves.map(({ leaf_hash }) => Uint8Array.fromHex(leaf_hash))
  if (first === undefined || second === undefined || third === undefined) throw new Error('three leaves are expected')
  const node = hashNode(first, second)
  expect(node.toHex()).toBe(known.node_01)
  expect(hashNode(node, third).toHex()).toBe(known.root)
})
