// Books of an organisation that never was, made by the service's own pure code, and what was seen of it from outside: the
// two agree. Tests make them disagree.
import { bytesToHex } from '@noble/hashes/utils.js'
import { requestHash } from '../../../../src/attestation/request-hash.ts'
import { receiptEntry } from '../../../../src/attestation/receipt-entry.ts'
import { describeDecision, type Outcome } from '../../../../src/attestation/record.ts'
import { signRecord } from '../../../../src/attestation/sign-record.ts'
import { importSigningKey, type SigningKey } from '../../../../src/attestation/signing-key.ts'
import { signOrganisationHead } from '../../../../src/attestation/tree-head.ts'
import { encodeEntry, leafHash } from '../../../../src/ledger/entry.ts'
import { utcMonth } from '../../../../src/platform/clock.ts'
import type { Books } from '../../../../scripts/soak/crashes/books.ts'
import { nothingSeen, type Sent, type SentKind } from '../../../../scripts/soak/crashes/clients.ts'
import { growTree } from '../../../../scripts/soak/crashes/ledger-faults.ts'
import type { Witness } from '../../../../scripts/soak/crashes/reconcile.ts'

export const ORGANISATION = 'org_00000000-0000-7000-8000-000000000001'
const NOON = Date.UTC(2091, 2, 15, 12)
const RESERVED = 90

export type Invented = { books: Books; witness: Witness & { provided: Map<string, number> }; key: SigningKey }

/**
 * Positions: 0 an operator's act, 1 allowed and settled by 4, 2 blocked, 3 allowed as a stream and open, 5 suppressed, 6
 * allowed and interrupted by 7.
 */
export async function inventBooks(): Promise<Invented> {
  const key = await importSigningKey(new Uint8Array(32).fill(7))
  const witness = { seen: nothingSeen(), provided: new Map<string, number>(), publicKey: key.publicKey }
  const entries: Books['entries'] = []
  const write = (kind: string, entry: Uint8Array, facts: Books['entries'][number]['facts'] = null): number =>
    entries.push({ position: entries.length, kind, entry, facts }) - 1
  const settle = (settles: number, ended: string, costMicroeur: number): number =>
    write('settlement', encodeEntry('settlement', { settles, ended, cost_microeur: costMicroeur }))

  async function decide(kind: SentKind, outcome: Outcome): Promise<number> {
    const n = witness.seen.sent.length + 1
    const marker = `ask-00000000-0000-4000-8000-00000000000${n}`
    const hash = requestHash({ marker })
    const traceId = `tr_${String(n).padStart(32, '0')}`
    const record = describeDecision(
      {
        attestationId: `00000000-0000-4000-8000-00000000000${n}`,
        traceId,
        organisationId: ORGANISATION,
        requestHash: hash,
        model: 'gpt-4.1-mini',
        outcome,
        policies: [],
        costPreventedMicroeur: 0,
        decidedAt: NOON + n,
      },
      key.publicKey,
    )
    const aqta = { attestation: await signRecord(record, key) }
    const sent: Sent = {
      organisationId: ORGANISATION,
      kind,
      marker,
      requestHash: hash,
      status: outcome === 'ALLOWED' ? 200 : 403,
      traceId,
      isWhole: true,
      text:
        kind === 'stream' ? `data: {"choices":[]}\n\ndata: ${JSON.stringify({ aqta })}\n\n` : JSON.stringify({ aqta }),
    }
    witness.seen.sent.push(sent)
    if (outcome === 'ALLOWED') witness.provided.set(marker, 1)
    const facts = { key_id: 'key_1', request_id: marker, reserve_microeur: outcome === 'ALLOWED' ? RESERVED : 0 }
    return write('chat_decision', receiptEntry(record), facts)
  }

  write('operator_act', encodeEntry('operator_act', { act: 'create_key' }))
  const settled = await decide('whole', 'ALLOWED')
  await decide('refused', 'BLOCKED')
  const open = await decide('stream', 'ALLOWED')
  settle(settled, 'completed', 40)
  await decide('repeated', 'SUPPRESSED')
  const interrupted = await decide('whole', 'ALLOWED')
  settle(interrupted, 'interrupted', RESERVED)

  const leaves = entries.map(({ position, entry }) => ({ position, hash: leafHash(entry) }))
  const tree = growTree(leaves)
  for (const size of [2, 5, leaves.length]) {
    const root = Buffer.from(tree.rootAt(size), 'hex')
    const head = await signOrganisationHead({ orgId: ORGANISATION, treeSize: size, root }, key)
    witness.seen.heads.push({ organisationId: ORGANISATION, head })
    witness.seen.questions.push({ organisationId: ORGANISATION })
  }
  const counted = witness.seen.sent.length + witness.seen.heads.length
  const books: Books = {
    keyIds: ['key_1'],
    leaves,
    nodes: tree.nodes
      .filter(({ level }) => level > 0)
      .map(({ level, index, hash }) => ({ level, position: index, hash })),
    entries,
    receipts: entries.flatMap(({ position, facts }) =>
      facts === null ? [] : [{ attestation_id: facts.request_id.slice('ask-'.length).replaceAll('-', ''), position }],
    ),
    reservations: [{ position: open, admitted_at: NOON, microeur: RESERVED }],
    months: [{ month: utcMonth(NOON), requests: 3, spent_microeur: 40 + RESERVED, reserved_microeur: RESERVED }],
    publishedTo: -1,
    counts: [{ subject: 'organisation', n: counted, held: counted, oldest: 1, newest: counted }],
  }
  return { books, witness, key }
}

/** As when the leaf at the end was never there. */
export function withoutLastLeaf({ leaves, entries, ...rest }: Books): Books {
  const fewer = leaves.slice(0, -1)
  const nodes = growTree(fewer).nodes.filter(({ level }) => level > 0)
  return {
    ...rest,
    leaves: fewer,
    entries: entries.slice(0, -1),
    nodes: nodes.map(({ level, index, hash }) => ({ level, position: index, hash })),
  }
}

export const headOf = (tree: { size: number; root: string }, key: SigningKey): Promise<object> =>
  signOrganisationHead({ orgId: ORGANISATION, treeSize: tree.size, root: Buffer.from(tree.root, 'hex') }, key)

export const invertedRoot = (root: string): string => bytesToHex(Buffer.from(root, 'hex').map((byte) => byte ^ 0xff))

export const ownHead = (head: object): { organisationId: string; head: unknown } => ({
  organisationId: ORGANISATION,
  head,
})
