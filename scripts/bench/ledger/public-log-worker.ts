// What grows in the public log's object: a leaf of each receipt, with its attestation_id and its nodes, and the signed heads.
import { HEADS_SCHEMA, HeadsStore } from '../../../src/ledger/public-log/heads.store.ts'
import { INTAKE_SCHEMA, IntakeStore } from '../../../src/ledger/public-log/intake.store.ts'

/** Beside the schemas of leaves and of their tree. */
export const PUBLIC_LOG_SCHEMAS = [INTAKE_SCHEMA, HEADS_SCHEMA]

export class BenchPublicLog {
  readonly #intake: IntakeStore
  readonly #heads: HeadsStore

  constructor(sql: SqlStorage) {
    this.#intake = new IntakeStore(sql)
    this.#heads = new HeadsStore(sql)
  }

  /** Belongs inside a transaction. `position`: of the leaf that is appended. */
  appendReceipt(position: number): void {
    const leafHash = crypto.getRandomValues(new Uint8Array(32))
    const receipts = [{ position, attestationId: crypto.randomUUID(), leafHash }]
    this.#intake.take({ source: 'a', after: position - 1, receipts })
  }

  /** Of the usual sizes: 32 bytes, 64 and 32, the latter two as base64url. */
  insertHead(treeSize: number): void {
    this.#heads.insert({
      v: 1,
      log: 'public',
      tree_size: treeSize,
      root_hash: '0'.repeat(64),
      timestamp: '2026-01-01T00:00:00Z',
      signature: 'A'.repeat(86),
      public_key: 'A'.repeat(43),
      key_id: '',
      algorithm: 'Ed25519',
    })
  }
}
