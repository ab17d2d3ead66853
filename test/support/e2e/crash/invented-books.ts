// Books of an organisation that never was, made by the service's own pure code, and what was seen of it from outside: the
// two agree. Tests make them disagree.
import { bytesToHex } from '@noble/hashes/utils.js'
import { requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import type { RecordOutcome } from '../../../../src/evidence/records/call-endings.ts'
import { describeDecision, signRecord } from '../../../../src/evidence/records/attestation-record.ts'
import { importSigningKey, type SigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { signOrganisationHead } from '../../../../src/evidence/records/tree-head.ts'
import { commitToFacts } from '../../../../src/evidence/records/facts-commitment.ts'
import { encodeEntry, leafHash, type EntryContent } from '../../../../src/evidence/entry.ts'
import { appendLeaf, EMPTY_FRONTIER, frontierToBytes } from '../../../../src/evidence/tree/frontier.ts'
import { TILE_WIDTH } from '../../../../src/evidence/tree/tiles.ts'
import { takeFullSnapshot } from '../../../../src/organisation/journal/state/snapshot.ts'
import { emptyState } from '../../../../src/organisation/journal/state/organisation-state.ts'
import { DAY_MS, utcDay, utcMonth } from '../../../../src/platform/time.ts'
import type { Books, Entry } from './books.ts'
import { nothingSeen, type Sent, type SentKind } from './clients.ts'
import { noContent } from './content-faults.ts'
import type { CopiedSettings } from './copied-settings.ts'
import { growTree } from './ledger-faults.ts'
import type { Witness } from './reconcile.ts'
import type { Told } from './steps.ts'

export const ORGANISATION = 'org_00000000-0000-7000-8000-000000000001'
const NOON = Date.UTC(2091, 2, 15, 12)
const RESERVED = 90

export type Invented = {
  books: Books
  /** Memory of the organisation's object. */
  told: Told
  witness: Witness & { provided: Map<string, number> }
  key: SigningKey
}

type Row = Books['rows'][number]

/** Which says nothing beside its entry. */
const rowOf = ({ position, kind }: Pick<Row, 'position' | 'kind'>): Row => ({
  position,
  kind,
  at: NOON + position,
  id: null,
  key_id: null,
  outcome: null,
  microeur: null,
  settles: null,
})

/**
 * Positions: 0 an operator's act, 1 allowed and settled by 4, 2 blocked, 3 allowed as a stream and open, 5 suppressed, 6
 * allowed and interrupted by 7.
 */
export async function inventBooks(): Promise<Invented> {
  const key = await importSigningKey(new Uint8Array(32).fill(7))
  const witness = { seen: nothingSeen(), provided: new Map<string, number>(), publicKey: key.publicKey }
  const entries: Books['entries'] = []
  const rows: Row[] = []
  function write(kind: string, entry: Uint8Array, said: Partial<Row> = {}, facts: Entry['facts'] = null): number {
    const position = entries.length
    rows.push({ ...rowOf({ position, kind }), ...said })
    entries.push({ position, kind, entry, facts, answerSalt: null, expiresAt: NOON + 30 * DAY_MS })
    return position
  }
  const settle = (settles: number, ended: string, costMicroeur: number): number =>
    write(
      'settlement',
      settlementOf(entries[settles], {
        settles,
        ended,
        cost_microeur: costMicroeur,
        ...(ended === 'interrupted' && { seen_microeur: costMicroeur }),
      }),
      {
        settles,
        outcome: ended,
        microeur: costMicroeur,
      },
    )

  async function decide(kind: SentKind, outcome: RecordOutcome): Promise<number> {
    const n = witness.seen.sent.length + 1
    const marker = `ask-00000000-0000-4000-8000-00000000000${n}`
    const hash = requestHash({ marker })
    const facts = {
      v: 'facts-1',
      salt: String(n).padStart(32, '0'),
      retention_days: 30,
      key_id: 'key_1',
      request_id: marker,
      reserve_microeur: outcome === 'ALLOWED' ? RESERVED : 0,
    }
    const { attestationId } = commitToFacts(facts)
    const record = describeDecision(
      {
        attestationId,
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
    const isAllowed = outcome === 'ALLOWED'
    const aqta = isAllowed ? { attestation: await signRecord(record, key) } : { attestation_id: record.attestation_id }
    const sent: Sent = {
      organisationId: ORGANISATION,
      kind,
      marker,
      requestHash: hash,
      status: isAllowed ? 200 : 403,
      traceId: record.trace_id,
      isWhole: true,
      text:
        kind === 'stream' ? `data: {"choices":[]}\n\ndata: ${JSON.stringify({ aqta })}\n\n` : JSON.stringify({ aqta }),
    }
    witness.seen.sent.push(sent)
    if (isAllowed) witness.provided.set(marker, 1)
    const microeur = isAllowed ? RESERVED : null
    const said = { id: record.attestation_id.replaceAll('-', ''), key_id: 'key_1', outcome, microeur }
    return write('chat_decision', receiptEntry(record), said, facts)
  }

  const { id: _, settings_version: version, ...settings } = copiedSettings()
  write('operator_act', encodeEntry('operator_act', { act: 'key.create', key_id: 'key_1', version, ...settings }))
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
  const { heads, sent } = witness.seen
  const books: Books = {
    keyIds: ['key_1'],
    leaves,
    entries,
    rows,
    // The two newest heads were asked for together.
    calls: [2, 5, 5].map((before, at) => ({
      before,
      n: at === 2 ? 1 : 0,
      at: NOON + before,
      of_gateway: 1,
      outcome: 'counted',
    })),
    snapshots: [{ name: 'newest', before: 5, n: 1, state: snapshotOf(leaves, 5) }],
    policyVersions: [],
    endedApprovals: [],
    tiles: new Map(),
    mirrored: new Map(),
    levels: [],
    anchors: [],
    submittedTo: -1,
    leftTo: 0,
    sealed: { listed: [], stored: [] },
    content: noContent('an-object'),
  }
  const told: Told = {
    differences: [],
    differencesAtStart: [],
    usageDifferences: [],
    next: leaves.length,
    months: [{ month: utcMonth(NOON), requests: 3, spentMicroeur: 40 + RESERVED, reservedMicroeur: RESERVED }],
    open: [{ position: open, microeur: RESERVED }],
    readings: [],
    days: [],
    settingsVersion: 1,
    policyVersion: 0,
    approvals: [],
    today: { day: utcDay(NOON), calls: sent.length + heads.length },
  }
  return { books, told, witness, key }
}

/** The entry of a settlement that repeats the hash of its decision's facts. */
export const settlementOf = (decision: Entry | undefined, content: EntryContent): Uint8Array =>
  encodeEntry('settlement', { ...content, facts_sha256: commitToFacts(decision?.facts ?? {}).sha256 })

/** Settings of the organisation in D1. */
export const copiedSettings = (): CopiedSettings => ({
  id: ORGANISATION,
  tier: 'enterprise',
  requests_per_minute: 7,
  requests_per_month: null,
  retention_days: 30,
  default_max_tokens: 1000,
  settings_version: 1,
})

function snapshotOf(leaves: Books['leaves'], before: number): string {
  const frontier = leaves.slice(0, before).reduce((grown, { hash }) => appendLeaf(grown, hash), EMPTY_FRONTIER)
  return takeFullSnapshot({ ...emptyState(), next: before }, bytesToHex(frontierToBytes(frontier)))
}

/** Acts and nothing else, of which the first 256 have left: they are in a tile, and their rows are gone. */
export function inventLongBooks(): Books {
  const entries = Array.from({ length: 300 }, (_, position) => ({
    position,
    kind: 'operator_act',
    entry: encodeEntry('operator_act', { act: 'list_keys' }),
    facts: null,
    answerSalt: null,
    expiresAt: NOON + 30 * DAY_MS,
  }))
  const leaves = entries.map(({ position, entry }) => ({ position, hash: leafHash(entry) }))
  const tile = Buffer.concat(leaves.slice(0, TILE_WIDTH).map(({ hash }) => hash))
  return {
    keyIds: ['key_1'],
    leaves,
    entries,
    rows: entries.slice(TILE_WIDTH).map((entry) => rowOf(entry)),
    calls: [],
    policyVersions: [],
    endedApprovals: [],
    anchors: [],
    snapshots: [{ name: 'oldest', before: TILE_WIDTH, n: 0, state: snapshotOf(leaves, TILE_WIDTH) }],
    tiles: new Map([['0/000', tile]]),
    mirrored: new Map([['0/000', Buffer.from(tile)]]),
    levels: [
      { level: 0, stored: 1, edge: new Uint8Array() },
      { level: 1, stored: 0, edge: growTree(leaves).hashAt(8, 0) },
    ],
    submittedTo: 299,
    leftTo: TILE_WIDTH,
    sealed: { listed: [], stored: [] },
    content: noContent('an-object'),
  }
}

export const snapshotAt = ({ leaves }: Books, before: number): Omit<Books['snapshots'][number], 'name'> => ({
  before,
  n: 0,
  state: snapshotOf(leaves, before),
})

/** As when the leaf at the end was never there. */
export function withoutLastLeaf({ leaves, entries, rows, ...rest }: Books): Books {
  return { ...rest, leaves: leaves.slice(0, -1), entries: entries.slice(0, -1), rows: rows.slice(0, -1) }
}

export const headOf = (tree: { size: number; root: string }, key: SigningKey): Promise<object> =>
  signOrganisationHead({ orgId: ORGANISATION, treeSize: tree.size, root: Buffer.from(tree.root, 'hex') }, key)

export const invertedRoot = (root: string): string => bytesToHex(Buffer.from(root, 'hex').map((byte) => byte ^ 0xff))

export const ownHead = (head: object): { organisationId: string; head: unknown } => ({
  organisationId: ORGANISATION,
  head,
})
