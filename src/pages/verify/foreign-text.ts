// Says of a text that has no record what it is, and what to do next. Loaded beside the page, because few texts need it.

export type Foreign = { readonly what: string; readonly next: string }

const FIND_CALL = 'Open Calls, find it, and press “Open in Verify”. Or ask who gave you the id for the record.'
const GIVE_RECORD = 'Give a record, an answer of the gateway with its record, an evidence file or an export.'
const UUID = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`

/** The first pattern counts. SECURITY: no sentence quotes the text, which may be a secret. */
const TEXTS: readonly (readonly [RegExp, what: string, next: string])[] = [
  [/^$/, 'empty', 'Choose the file as it was saved.'],
  [
    /(?<![a-z\d])(?:aqta_|vk_(?:live|test)_|whsec_|sk-|gsk_|ghp_|xai-|AIza)[\w+/-]{8}/i,
    'text with an API key or another secret',
    'Clear the field. Nothing was sent.',
  ],
  [/^(?:tr_|chatcmpl-|resp_)[\w-]+$/, 'the id of a call', FIND_CALL],
  [/^req_[\w-]+$/, 'the id of a request', 'Open Calls, find the call by it, and press “Open in Verify”.'],
  [RegExp(`^${UUID}$`, 'i'), 'the id of a record', FIND_CALL],
  [/^apr_[\w-]+$/, 'the id of an approval', 'Open Calls, find the call that was held, and press “Open in Verify”.'],
  [/^rep_[\w-]+$/, 'the id of a report', 'Open Exports, save the evidence file of its days, and choose it here.'],
  [RegExp(`^[a-z]{2,4}_${UUID}$`), 'an id, and no record', 'Open Calls, find a call, and press “Open in Verify”.'],
  [/^[\da-f]{64}$/i, 'a hash', 'A hash has no signature. Give the record that has it.'],
  [/^[\w-]{43}$/, 'perhaps a public key', 'If it is one, put it under “Keys that you trust”, and the record here.'],
  [/^[^\s+]+\+[\da-f]{8}\+\S+$/, 'the key of a log', 'Give the checkpoint here. The field for its key then appears.'],
  [/^(?:https?:|www\.)\S+$/i, 'a web address', 'Open it, save the record as a file, and choose the file here.'],
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'an e-mail address', GIVE_RECORD],
  [/^%PDF-/, 'a PDF', 'A PDF is not checked here. Save the evidence as JSON, and choose that.'],
  [/^PK\p{Cc}{2}/u, 'a ZIP archive or an office file', 'Unpack it, and choose the record in it.'],
  [/^<[!?a-z]/i, 'a web page', 'Save the record with “Save as JSON”, and choose that file.'],
  [/^\[/, 'a JSON list', 'Give one record, or a file with one record a line.'],
  [/^\{/, 'JSON without a record', GIVE_RECORD],
  [/[\0\uFFFD]/, 'a file of another kind', GIVE_RECORD],
  [
    /^[^,\s]*(?:,[^,\s][^,\n]*){3}/,
    'a CSV list',
    'A list has no signatures. Open Exports, and save the evidence file.',
  ],
]

export function describeForeign(text: string): Foreign {
  const [, what, next] = TEXTS.find(([pattern]) => pattern.test(text)) ?? ['', 'text without a record', GIVE_RECORD]
  return { what, next }
}
