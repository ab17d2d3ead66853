// The verifier page tells what a file is by its content, as the command does: the same function, over the same bytes.
import { expect, it } from 'vitest'
import { detect } from '../../../src/pages/verify/detect-document.ts'

const record = { request_hash: 'invented', policy_applied: [] }
const lines = [{ object: 'audit_export.head' }, record, record].map((line) => JSON.stringify(line))
const reading = { v: 'reading-1' }
const kept = { question: { salt: 'invented' }, outcome: {}, ledger: { entry: 'of its own' }, signed: reading }
const asReading = { form: 'profile', profile: 'reading-1' }
const PRETTY = JSON.stringify(record, null, 2)
const formOf = async (text: string): Promise<unknown> => detect({ blob: new Blob([text]) })

it.each([
  ['an export', lines.join('\n'), { form: 'lines', of: 'audit_export' }],
  ['an export cut off after its head', lines[0], { form: 'lines', of: 'audit_export' }],
  ['records with blank lines between them', lines.slice(1).join('\r\n\r\n'), { form: 'lines', of: 'documents' }],
  ['lines whose second is no JSON', `${lines[1]}\nno JSON`, { form: 'lines', of: 'documents' }],
  ['lines whose first is refused', `{"v":1,"v":1}\n${lines[1]}`, { form: 'lines', of: 'documents' }],
  [
    'two records over several lines, after an empty one',
    `\n${PRETTY}\n${PRETTY}`,
    { form: 'unreadable', why: 'It is not valid JSON, from line 6 on.' },
  ],
  ['no JSON that names a line', '{"line 9 column 1)":oops}', { form: 'unreadable', why: 'It is not valid JSON.' }],
  ['one record with a line break', `${lines[1]}\n`, { form: 'document', kind: 'record' }],
  ['a record over several lines', PRETTY, { form: 'document', kind: 'record' }],
  ['lists, one a line', '[]\n[]', { form: 'unknown' }],
  ['a signed reading', JSON.stringify(reading), { ...asReading, salt: null, entry: null }],
  ['the record of a reading', JSON.stringify(kept), { ...asReading, salt: 'invented', entry: 'of its own' }],
  ['the answer of a reading', JSON.stringify({ record: kept }), { ...asReading, salt: 'invented' }],
  ['what was chosen after it', '{"v":"outcome-1"}', { form: 'profile', profile: 'outcome-1', salt: null }],
  ['a record around what is no reading', JSON.stringify({ ...kept, signed: {} }), { form: 'document', kind: 'record' }],
  ['the trace of a call', `tr_${'a'.repeat(32)}\n`, { form: 'id' }],
  ['the id of a record', 'bf7e3935-daa2-45b0-8175-38f5880325a8', { form: 'id' }],
  ['an address', 'https://countersign.example/app/calls?id=1', { form: 'address' }],
  ['blank lines', '\n \n', { form: 'nothing' }],
])('%s', async (_, text = '', expected) => {
  expect(await formOf(text)).toMatchObject(expected)
})
