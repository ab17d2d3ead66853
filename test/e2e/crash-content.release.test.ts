// The judge of what an organisation keeps of its calls must itself be able to say no: each fault that a crash could leave is made here by
// hand, and found.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Books } from '../support/e2e/crash/books.ts'
import { findContentFaults } from '../support/e2e/crash/content-faults.ts'
import { readReceiptEntry } from '../../src/evidence/records/receipt-entry.ts'
import { encodeEntry } from '../../src/evidence/entry.ts'
import { packContent, contentPlaceOf } from '../../src/organisation/content/content-object.ts'
import { importSealingKey, seal } from '../../src/platform/seal.ts'
import { inventBooks } from '../support/e2e/crash/invented-books.ts'

const KEY = { bytes: new Uint8Array(32).fill(9), fingerprint: '00112233aabbccdd' }
const EXPIRES = Date.UTC(2091, 3, 14)
const NOW = Date.UTC(2091, 2, 16)
/** The first request of the invented ones, and its decision's position and id. */
const MARKER = 'ask-00000000-0000-4000-8000-000000000001'
const [DECISION, SETTLEMENT] = [1, 4]

const sealed = async (name: string, key: Uint8Array<ArrayBuffer>, request: object): Promise<Uint8Array> => {
  const text = JSON.stringify({ request, answer: null, streamed: false, truncated: false })
  return seal(await importSealingKey(key), name, await packContent(Uint8Array.from(Buffer.from(text))))
}

async function keepOne(request: object = { marker: MARKER }) {
  const { books } = await inventBooks()
  const attestationId = readReceiptEntry(books.entries[DECISION]?.entry ?? new Uint8Array())?.attestation_id ?? ''
  const of = { object: books.content.object, attestationId, kind: 'call', expiresAt: EXPIRES } as const
  const { name, key } = contentPlaceOf(KEY, of)
  const file = await sealed(name, key, request)
  books.content = { ...books.content, keys: new Map([[KEY.fingerprint, KEY.bytes]]), files: new Map([[name, file]]) }
  const decision = books.entries[DECISION]
  if (decision?.facts) decision.facts.content = { key: KEY.fingerprint, expires_at: new Date(EXPIRES).toISOString() }
  settle(books, { sha256: createHash('sha256').update(file).digest('hex'), bytes: file.length })
  return { books, name, key, file }
}

function settle({ entries }: Books, content: { sha256: string; bytes: number } | 'lost'): void {
  const settlement = entries[SETTLEMENT]
  const said = { settles: DECISION, ended: 'completed', cost_microeur: 40, content }
  if (settlement !== undefined) settlement.entry = encodeEntry('settlement', said)
}

it('finds nothing where what is kept is what the ledger says, or nothing was to be kept', async () => {
  expect(await findContentFaults((await inventBooks()).books, NOW)).toEqual([])
  expect(await findContentFaults((await keepOne()).books, NOW)).toEqual([])
})

it('finds that it is gone, but not once its time is over, nor where it was lost', async () => {
  const { books } = await keepOne()
  books.content.files.clear()
  expect(await findContentFaults(books, NOW)).toEqual(['the content of decision 1 is not there'])
  expect(await findContentFaults(books, EXPIRES)).toEqual([])
  settle(books, 'lost')
  expect(await findContentFaults(books, NOW)).toEqual([])
})

it('finds that it is another than the ledger has the hash of', async () => {
  const { books, name, key } = await keepOne()
  books.content.files.set(name, await sealed(name, key, { marker: MARKER }))
  expect(await findContentFaults(books, NOW)).toEqual([
    'the content of decision 1 is not what the ledger has the hash of',
  ])
})

it('finds that it does not open', async () => {
  const { books, name } = await keepOne()
  const file = new Uint8Array(100)
  books.content.files.set(name, file)
  settle(books, { sha256: createHash('sha256').update(file).digest('hex'), bytes: file.length })
  expect(await findContentFaults(books, NOW)).toEqual(['the content of decision 1 does not open'])
})

it('finds that it is of another request', async () => {
  const { books } = await keepOne({ marker: 'another' })
  expect(await findContentFaults(books, NOW)).toEqual(['the content of decision 1 is another’s'])
})

it('finds what no decision knows of', async () => {
  const { books, file } = await keepOne()
  books.content.files.set('content/an-object/20000/call-of-nobody-00112233aabbccdd', file)
  expect(await findContentFaults(books, NOW)).toEqual([
    'nothing knows of content/an-object/20000/call-of-nobody-00112233aabbccdd',
  ])
})
