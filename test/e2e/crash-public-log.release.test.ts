// The public log of the crash tests is judged by code that must itself be able to say no: each fault that a crash could
// leave is made here by hand, and found.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { signPublicHead } from '../../src/evidence/records/tree-head.ts'
import { formatCheckpoint } from '../../src/evidence/checkpoint/checkpoint.ts'
import { formatNote } from '../../src/evidence/checkpoint/signed-note.ts'
import { anchorLeaf, anchorText, newAnchor } from '../../src/evidence/bundles/anchor.ts'
import { findPublicFaults, findUnpublished, idOfAnchor } from '../support/e2e/crash/public-faults.ts'
import { growTree } from '../support/e2e/crash/ledger-faults.ts'
import { type InventedLog, inventPublicLog } from '../support/e2e/crash/invented-public-log.ts'

type Change = (invented: InventedLog) => Promise<void> | void

const faultsAfter = async (change: Change): Promise<string[]> => {
  const invented = await inventPublicLog()
  await change(invented)
  const { log, ledger, heads, key } = invented
  return findPublicFaults(log, [ledger], { heads, publicKey: key.publicKey })
}

/** The tree belongs to the leaves again, so that only what is meant is wrong. */
const regrow = ({ log }: InventedLog): void => {
  log.leaves.forEach((leaf, at) => Object.assign(leaf, { position: at }))
  log.frontierRoot = growTree(log.leaves).rootAt(log.leaves.length)
}

const FAULTS: readonly (readonly [string, Change, RegExp])[] = [
  ['a leaf is lost', loseLeaf, /receipt 6 of a ledger is lost/],
  ['a leaf is lost and its number is free', ({ log }) => void log.leaves.splice(1, 1), /leaf 2 is misplaced/],
  ['a receipt has two leaves', doubleLeaf, /an attestation has two leaves/],
  ['a leaf is no receipt', addSettlement, /leaf 5 is no receipt of a ledger/],
  ['a leaf is of another attestation', swapAttestations, /leaf 0 is no receipt of a ledger/],
  ['a leaf has no attestation', ({ log }) => void log.attestations.pop(), /5 leaves of 4 attestations/],
  ['receipts are taken out of order', swapReceipts, /was taken before an older one/],
  ['the index leads elsewhere', ({ log }) => void Object.assign(log.index[0] ?? {}, { position: 3 }), /the index has/],
  ['the frontier is of another tree', ({ log }) => void (log.frontierRoot = '0'.repeat(64)), /the frontier is not/],
  ['a head is served that is not stored', ({ log }) => void log.heads.pop(), /size 5 was served and is not stored/],
  ['a head is signed again once there is a larger one', signAgain(3, 3600), /size 3 was served and is not stored/],
  ['a head was signed again and is not stored', signAgain(5, 60), /size 5 was served and is not stored/],
  ['a head that was signed again is served and not stored', renew({ isStored: false }), /size 5 was served and is not/],
  ['a head is of another history', signOther, /two heads of size 5|the head of size 5 is not of this history/],
  ['a head is larger than the log', loseLeaf, /a head of size 5 was served, and there are 4 leaves/],
  ['a tile is missing', ({ log }) => void log.files.delete('public-log/tile/0/000.p/5'), /do not hold its leaves/],
  ['a stored tile is in one bucket alone', storeTile({ isMirrored: false }), /0\/000 is not in both buckets/],
  ['a stored tile is another in the second bucket', storeTile({ isMirrored: true }), /0\/000 is not in both buckets/],
  ['the checkpoint is none', serveCheckpoint('nothing\n'), /what is served as the checkpoint is none/],
  ['the checkpoint is of another tree', serveCheckpoint(noteOf(5)), /the checkpoint of size 5 is not of this history/],
  ['the checkpoint is of a head that is not stored', serveCheckpoint(noteOf(6)), /the checkpoint is of size 6/],
  ['a tile holds something else', breakTile, /do not hold its leaves/],
]

const SOURCE = 'a ledger/anchors'

/** The ledger's log is anchored, as a service that does right would have done it. */
function addAnchor(
  invented: InventedLog,
  { taken = true, logged = true, size = 4, root = growTree(invented.ledger.leaves).rootAt(size) } = {},
): void {
  const { log, ledger } = invented
  const document = newAnchor({ logId: 'ab'.repeat(32), size, root: Buffer.from(root, 'hex'), at: 0 })
  ledger.anchors.push({ tree_size: size, document: anchorText(document), taken_at: taken ? 1 : null })
  if (!logged) return
  log.leaves.push({ position: log.leaves.length, hash: anchorLeaf(document) })
  log.attestations.push({ position: log.leaves.length - 1, attestation_id: idOfAnchor(document) })
  log.anchored.push({ source: SOURCE, size, attestation_id: idOfAnchor(document) })
  regrow(invented)
}

const ANCHORS: readonly (readonly [string, Change, RegExp])[] = [
  [
    'an anchor that was taken is lost',
    (log) => addAnchor(log, { logged: false }),
    /anchor of size 4 of a ledger is lost/,
  ],
  ['an anchor is of another history', (log) => addAnchor(log, { root: 'cd'.repeat(32) }), /is not of its history/],
  [
    'an anchor is of a larger log',
    (log) => addAnchor(log, { size: 400, root: 'cd'.repeat(32) }),
    /is not of its history/,
  ],
  ['a log is anchored twice at a size', twice(() => ({ taken: false })), /anchored at size 4 after a size as large/],
  ['an anchor has another leaf', anchorElsewhere, /has another leaf/],
  ['anchors are kept for ever', (log) => [1, 2, 3, 4].forEach((size) => addAnchor(log, { size })), /has 4 anchors/],
  ['an anchor is no anchor', ({ ledger }) => void ledger.anchors.push(NO_ANCHOR), /cannot be read/],
]

const NO_ANCHOR = { tree_size: 1, document: '{}', taken_at: null }

function twice(second: () => { taken: boolean }): Change {
  return (invented) => {
    addAnchor(invented)
    addAnchor(invented, second())
  }
}

function anchorElsewhere(invented: InventedLog): void {
  addAnchor(invented)
  Object.assign(invented.log.leaves.at(-1) ?? {}, { hash: new Uint8Array(32) })
  regrow(invented)
}

function loseLeaf(invented: InventedLog): void {
  invented.log.leaves.pop()
  invented.log.attestations.pop()
  invented.log.index.pop()
  regrow(invented)
}

function doubleLeaf(invented: InventedLog): void {
  const { leaves, attestations } = invented.log
  leaves.push({ position: 5, hash: leaves.at(-1)?.hash ?? new Uint8Array() })
  attestations.push({ position: 5, attestation_id: attestations.at(-1)?.attestation_id ?? '' })
  regrow(invented)
}

function addSettlement(invented: InventedLog): void {
  invented.log.leaves.push({ position: 5, hash: invented.ledger.leaves[4]?.hash ?? new Uint8Array() })
  invented.log.attestations.push({ position: 5, attestation_id: 'e'.repeat(32) })
  regrow(invented)
}

function swapAttestations({ log }: InventedLog): void {
  const [first, second] = log.attestations
  if (first === undefined || second === undefined) return
  ;[first.attestation_id, second.attestation_id] = [second.attestation_id, first.attestation_id]
}

function swapReceipts(invented: InventedLog): void {
  const [first, second] = invented.log.leaves
  if (first !== undefined && second !== undefined) [first.hash, second.hash] = [second.hash, first.hash]
  swapAttestations(invented)
  regrow(invented)
}

/** Signs a head of this size, `later` seconds after the head that was signed last. */
function signAgain(treeSize: number, later: number): Change {
  return async ({ log, heads, key }) => {
    const root = Buffer.from(growTree(log.leaves).rootAt(treeSize), 'hex')
    const at = Date.parse(log.heads.at(-1)?.timestamp ?? '') + later * 1000
    heads.push(await signPublicHead({ treeSize, root, at }, key))
  }
}

/** Signs the newest head again and serves it. */
function renew({ isStored }: { isStored: boolean }): Change {
  return async (invented) => {
    const { log, heads } = invented
    await signAgain(5, 60)(invented)
    const head = heads.at(-1)
    log.files.set('public-log/head.json', Buffer.from(JSON.stringify(head)))
    if (isStored) log.heads = [StoredSchema.parse(head)]
  }
}

const StoredSchema = z.object({
  tree_size: z.int(),
  root_hash: z.string(),
  timestamp: z.string(),
  signature: z.string(),
})

async function signOther({ heads, key }: InventedLog): Promise<void> {
  heads.push(await signPublicHead({ treeSize: 5, root: new Uint8Array(32), at: Date.UTC(2091, 3, 1) }, key))
}

function storeTile({ isMirrored }: { isMirrored: boolean }): Change {
  return ({ log }) => {
    log.levels.push({ level: 0, stored: 1 })
    log.files.set('public-log/tile/0/000', new Uint8Array(256 * 32))
    if (isMirrored) log.files.set('mirror/public-log/tile/0/000', new Uint8Array(256 * 32).fill(1))
  }
}

function serveCheckpoint(note: string): Change {
  return ({ log }) => void log.files.set('public-log/checkpoint', Buffer.from(note))
}

function noteOf(size: number): string {
  const text = formatCheckpoint({ origin: 'log.example', size, root: new Uint8Array(32), extensions: [] })
  const signature = new Uint8Array(64)
  return formatNote({ text, signatures: [{ name: 'log.example', keyId: '00000001', signature }] })
}

function breakTile({ log }: InventedLog): void {
  for (const [name, file] of log.files) if (name.includes('/tile/')) file.fill(0)
}

describe('findPublicFaults', () => {
  it('finds nothing where the log agrees with its ledgers', async () => {
    expect(await faultsAfter(() => {})).toEqual([])
  })

  it('lets receipts be on their way, and leaves that no head covers yet', async () => {
    const faults = await faultsAfter(({ ledger, log, heads }) => {
      ledger.submittedTo = -1
      log.index.length = 2
      heads.length = 2
      log.heads = [StoredSchema.parse(heads[1])]
      log.files.clear()
    })
    expect(faults).toEqual([])
  })

  it('lets the newest head be signed again', async () => {
    expect(await faultsAfter(renew({ isStored: true }))).toEqual([])
    expect(await faultsAfter(signAgain(5, -1))).toEqual([])
  })

  it('lets anchors be leaves, be on their way, and be told apart once nothing on disk says so', async () => {
    expect(await faultsAfter((invented) => addAnchor(invented))).toEqual([])
    expect(await faultsAfter((invented) => addAnchor(invented, { taken: false, logged: false }))).toEqual([])
    const invented = await inventPublicLog()
    addAnchor(invented)
    const { log, ledger, heads, key } = invented
    const anchorIds = new Set(log.anchored.map(({ attestation_id: id }) => id))
    ledger.anchors = []
    log.anchored = []
    const faults = (seen: ReadonlySet<string>) =>
      findPublicFaults(log, [ledger], { heads, publicKey: key.publicKey, anchorIds: seen })
    expect(faults(anchorIds)).toEqual([])
    expect(faults(new Set())).toEqual(['public log: leaf 5 is no receipt of a ledger'])
  })

  it.each([...FAULTS, ...ANCHORS])('finds it where %s', async (_, change, fault) => {
    expect((await faultsAfter(change)).join('\n')).toMatch(fault)
  })
})

describe('findUnpublished', () => {
  it('names the receipts that the log or its index has not got', async () => {
    const { log, ledger } = await inventPublicLog()
    expect(findUnpublished(log, [ledger])).toEqual([])
    log.index.pop()
    log.attestations.shift()
    expect(findUnpublished(log, [ledger])).toHaveLength(2)
  })
})
