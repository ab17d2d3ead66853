// The verifier page's check without the page: which record and which bytes it checks and shows.
import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { pasted } from '../../../../src/pages/verify/detect-document.ts'
import type { VerifyForm } from '../../../../src/pages/verify/verifier-inputs.ts'
import { check, type Checked } from '../../../../src/pages/verify/run-check.ts'
import { makeEvidence, oldKey } from '../../../fixtures/evidence/invented-evidence.ts'
import { issue, makeReceipts } from '../../../fixtures/evidence/invented-receipt.ts'

const { bundle, record } = await makeEvidence()
const receipt = await issue((await makeReceipts()).ofCall)
const changed = { ...record, outcome: 'BLOCKED' }

vi.stubGlobal('document', { querySelector: () => null })

async function checked(document: object, form: Partial<VerifyForm> = {}): Promise<Checked> {
  const inputs = { document: pasted(JSON.stringify(document)), keys: pasted(oldKey.publicKey) }
  const given = { inputs, chosenKind: null, trust: 'none', quorum: '', maxAge: '', ...form } as const
  const made = await check(given, { onProgress: () => undefined, signal: new AbortController().signal })
  if (made.outcome !== 'checked') throw new Error(JSON.stringify(made))
  return made.checked
}

const twice = { ...bundle, record: { ...changed, attestation: record } }
const besides = { ...receipt, attestation: changed, record }

it.each([
  ['a bundle holds', bundle, 'not_proven'],
  ['a receipt holds', receipt, 'not_proven'],
  ['a bundle holds, not the genuine one in it', twice, 'invalid'],
  ['a receipt holds, not the genuine one beside it', besides, 'invalid'],
])('checks without a key the record that %s', async (_, document, verdict) => {
  const { report } = await checked(document)
  expect([report.verdict, report.findings.at(-1)?.code]).toEqual([verdict, 'only_the_record_inside'])
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
