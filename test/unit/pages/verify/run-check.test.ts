// The verifier page's check without the page: which record and bytes it checks and shows, and by which keys.
import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { pasted } from '../../../../src/pages/verify/detect-document.ts'
import type { VerifyForm } from '../../../../src/pages/verify/verifier-inputs.ts'
import { check, type Checked } from '../../../../src/pages/verify/run-check.ts'
import {
  makeEvidence,
  makeRecord,
  newKey,
  oldKey,
  OWN,
  publishedKey,
} from '../../../fixtures/evidence/invented-evidence.ts'
import { issue, makeReceipts } from '../../../fixtures/evidence/invented-receipt.ts'

const { bundle, record } = await makeEvidence()
const receipt = await issue((await makeReceipts()).ofCall)
const changed = { ...record, outcome: 'BLOCKED' }

const published = { keys: [publishedKey(newKey)], note: 'A key for development.' }
vi.stubGlobal('document', { querySelector: () => ({ textContent: JSON.stringify(published) }) })

async function checked(document: object, form: Partial<VerifyForm> = {}): Promise<Checked> {
  const inputs = { document: pasted(JSON.stringify(document)), keys: pasted(oldKey.publicKey) }
  const given = { inputs, chosenKind: null, trust: 'none', quorum: '', maxAge: '', ...form } as const
  const made = await check(given, { onProgress: () => undefined, signal: new AbortController().signal })
  if (made.outcome !== 'checked') throw new Error(JSON.stringify(made))
  return made.checked
}

const twice = { ...bundle, record: { ...changed, attestation: record } }
const besides = { ...receipt, attestation: changed, record }
const relabelled = { ...receipt, model: 'another' }

it.each([
  ['of a bundle', bundle, 'not_proven', 'rest_unchanged'],
  ['of a receipt', receipt, 'not_proven', 'rest_unchanged'],
  ['of a bundle, not the genuine one in it', twice, 'invalid', 'unknown_member'],
  ['of a receipt, not the genuine one beside it', besides, 'invalid', 'not_a_receipt'],
  ['of a receipt whose other members were changed', relabelled, 'invalid', 'signature_mismatch'],
])('checks without a key the record %s', async (_, document, verdict, code) => {
  const { report } = await checked(document)
  expect(report.verdict).toBe(verdict)
  expect(report.findings.map((found) => found.code)).toContain(code)
})

it('finds a change without a key where the names of the keys in the file are escaped', async () => {
  const escaped = JSON.stringify(relabelled).replaceAll('"public_key"', String.raw`"\u0070ublic_key"`)
  const inputs = { document: pasted(escaped), keys: pasted('') }
  const { report } = await checked({}, { inputs })
  expect(report.findings.map(({ code }) => code)).toContain('signature_mismatch')
})

it('says of a changed file that the signature is not over it, and of a changed cost what it is not', async () => {
  const { report, words } = await checked(relabelled)
  expect(report.findings.filter(({ valid }) => !valid).map((shown) => words.reasonText(shown))).toEqual([
    'The signature is not one of this key over this file.',
    'It contradicts the record in it: model.',
  ])
  const { settlement } = bundle
  const dearer = { ...bundle, settlement: { ...settlement, content: { ...settlement.content, cost_microeur: 1 } } }
  const { report: found } = await checked(dearer)
  expect(found.findings.filter(({ valid }) => !valid).map((shown) => words.reasonText(shown))).toContain(
    'What it says, such as its cost, is not what the log’s entry says.',
  )
})

it('finds no record inside a record, whatever kind is chosen', async () => {
  const { report } = await checked(record, { chosenKind: 'bundle' })
  expect(report.findings.map(({ code }) => code)).toEqual(['mixed_members'])
})

it('shows the facts of the record that was checked', async () => {
  const aqta = { record: { ...record, model: 'another' }, attestation: record }
  const { report, record: shown } = await checked({ object: 'chat.completion', aqta }, { trust: 'given' })
  expect([report.verdict, shown?.model]).toEqual(['valid', record.model])
})

it('prints the SHA-256 of a text as it was pasted', async () => {
  const { file } = await checked(record)
  expect(file.sha256).toBe(createHash('sha256').update(JSON.stringify(record)).digest('hex'))
})

const BOTH = `${oldKey.publicKey}\n${newKey.publicKey}`

it('tells no note of a published key that changes nothing of a verdict', async () => {
  const inputs = { document: pasted(JSON.stringify(changed)), keys: pasted(BOTH) }
  const { report, note } = await checked({}, { trust: 'given', inputs })
  expect([report.verdict, note]).toEqual(['invalid', ''])
})

const byNew = await makeRecord(OWN, newKey)
const asList = (...keys: (typeof oldKey)[]): string => JSON.stringify({ keys: keys.map((key) => publishedKey(key)) })
const { note: NOTE } = published

it.each([
  ['a record whose key is given alone', [byNew], newKey.publicKey, NOTE],
  ['a record whose key is in a list without a note', [byNew], asList(newKey), NOTE],
  ['a record whose key is one of two', [byNew], BOTH, NOTE],
  ['a record whose key is one of two in a list', [byNew], asList(oldKey, newKey), NOTE],
  ['a record of the other of two keys', [record], BOTH, ''],
  ['a bundle of the other of two keys in a list', [bundle], asList(oldKey, newKey), ''],
  ['lines of both keys', [record, byNew], BOTH, NOTE],
  ['lines of the other of two keys', [record, record], BOTH, ''],
])('tells the note of a published key that signed: %s', async (_, documents, keys, note) => {
  const text = documents.map((document) => JSON.stringify(document)).join('\n')
  const inputs = { document: pasted(text), keys: pasted(keys) }
  const { report, note: said } = await checked({}, { trust: 'given', inputs })
  expect([report.verdict, said]).toEqual(['valid', note])
})
