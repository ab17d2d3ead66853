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
  ['a signed reading', JSON.stringify(reading), { ...asReading, salt: null, entry: null }],
  ['the record of a reading', JSON.stringify(kept), { ...asReading, salt: 'invented', entry: 'of its own' }],
  ['the answer of a reading', JSON.stringify({ record: kept }), { ...asReading, salt: 'invented' }],
  ['what was chosen after it', '{"v":"outcome-1"}', { form: 'profile', profile: 'outcome-1', salt: null }],
  ['a record around what is no reading', JSON.stringify({ ...kept, signed: {} }), { form: 'document', kind: 'record' }],
])('%s', async (_, text = '', expected) => {
  expect(await formOf(text)).toMatchObject(expected)
})

const UUID = 'bf7e3935-daa2-45b0-8175-38f5880325a8'
const API_KEY = `aqta_${'Ab3'.repeat(14)}`

it.each([
  ['the id of a call', `tr_${'a'.repeat(32)}\n`, /Open Calls, find it, and press “Open in Verify”/],
  ['the id of a request', `req_${UUID}`, /find the call by it/],
  ['the id of a record', UUID, /Open Calls/],
  ['the id of an approval', `apr_${UUID}`, /Open Calls/],
  ['the id of a report', `rep_${UUID}`, /Open Exports/],
  ['an id, and no record', `org_${UUID}`, /Open Calls/],
  ['text with an API key or another secret', API_KEY, /^Clear the field\. Nothing was sent\.$/],
  ['text with an API key or another secret', `GATEWAY_KEY="${API_KEY}"`, /^Clear/],
  ['text with an API key or another secret', `https://countersign.example/?key=sk-proj-${'Ab3'.repeat(14)}`, /^Clear/],
  ['text with an API key or another secret', `whsec_${'Ab3/'.repeat(9)}`, /^Clear/],
  ['text without a record', 'A task-oriented letter.', /Give a record/],
  ['perhaps a public key', 'cIunMm1OTT2r7griEMyUkq2vWbMPuNuNHBuWC7taNmc', /Keys that you trust/],
  ['the key of a log', 'log.example/audit+0a1b2c3d+AbCd', /checkpoint/],
  ['a hash', '0'.repeat(64), /no signature/],
  ['a web address', 'https://countersign.example/app/calls?id=1', /save the record as a file/],
  ['an e-mail address', 'ann@clinic.example', /Give a record/],
  ['a PDF', '%PDF-1.7\n%âãÏÓ', /JSON/],
  ['a ZIP archive or an office file', 'PK\u0003\u0004\0', /Unpack/],
  ['a web page', '<!doctype html><title>Calls</title>', /Save as JSON/],
  ['a CSV list', 'time,outcome,model,key\n1,passed,m,k', /no signatures/],
  ['a JSON list', '[]\n[]', /one record a line/],
  ['JSON without a record', '{"specialty":"Cardiology"}', /Give a record/],
  ['a file of another kind', '\u0000GIF', /Give a record/],
  ['text without a record', 'Dear doctor, it is a letter, not a record, or so.', /Give a record/],
  ['empty', '\n \n', /as it was saved/],
])('says of a text without a record that it is %s, and what to do', async (what, text, next) => {
  expect(await formOf(text)).toEqual({ form: 'foreign', what, next: expect.stringMatching(next) as string })
})
