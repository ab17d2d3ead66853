// The verifier page's check of a document, in the browser. It checks a few lines at a time, so that the page responds.
import { trustedKeys, type PinnedTrust, type Trust } from '../../evidence/records/verify-record.ts'
import { MisuseError, type AnswerCheck, type CheckOptions } from '../../evidence/verify/check-options.ts'
import { addDocumentFindings, checkDocument } from '../../evidence/verify/check-document.ts'
import { readJsonObject } from '../../evidence/records/read-json-object.ts'
import { portableHashFunctions } from '../../evidence/records/hash-functions.ts'
import { NOT_PROVEN, passed, type Finding } from '../../evidence/verify/verification-finding.ts'
import type { LinesCheck } from '../../evidence/verify/check-lines.ts'
import { linesOf, LongLineError } from '../../evidence/verify/file-lines.ts'
import { FindingsReport, type ReportJson } from '../../evidence/verify/findings-report.ts'
import {
  MISUSE_MESSAGES,
  InputError,
  MISUSED_FIELDS,
  kindOf,
  profileIn,
  noteOfKeys,
  readBytes,
  readReading,
  readOptions,
  readCheckpointOptions,
  type InputName,
  type VerifyForm,
} from './verifier-inputs.ts'
import type { Hashing } from '../../platform/sha256.ts'
import type { Foreign } from './foreign-text.ts'
import type * as findingText from './finding-text.ts'
import type * as profileCheck from './profile-check.ts'
import { listNotProven } from './not-proven.ts'
import { recordFactsOf, recordInside, type RecordFacts } from './record-facts.ts'
import { bytesOf, describeDetected, detect, partsOf } from './detect-document.ts'

/** The words for findings load beside the page and before a check, which itself sends no request. */
const wordsPart = import('./finding-text.ts').catch(() => null)

export type CheckProgress = { readonly lines: number; readonly share: number }

export type Checked = {
  readonly report: ReportJson
  readonly words: typeof findingText
  readonly isLines: boolean
  /** Why the whole document cannot be read; null if it can. */
  readonly unread: string | null
  readonly notProven: readonly string[]
  readonly tookMs: number
  /** The name of the checked file, the SHA-256 of its bytes in hex, and the time of the check. */
  readonly file: { readonly name: string; readonly sha256: string; readonly at: Date }
  /** What the list of the trusted keys says of them; only keys for development have a note. */
  readonly note: string
  /** The facts of the record that the document is or holds; null if it has none. */
  readonly record: RecordFacts | null
  /** Those of a reading or of what was chosen after it; null for any other document. */
  readonly facts: profileCheck.SignedFacts | null
}

export type CheckOutcome =
  | { readonly outcome: 'checked'; readonly checked: Checked }
  | { readonly outcome: 'misused'; readonly field: InputName; readonly why: string }
  | ({ readonly outcome: 'foreign' } & Foreign)
  | { readonly outcome: 'stopped' }

type Watching = { readonly onProgress: (progress: CheckProgress) => void; readonly signal: AbortSignal }

export async function check(given: Omit<VerifyForm, 'detected'>, watching: Watching): Promise<CheckOutcome> {
  const report = new FindingsReport()
  const began = performance.now()
  const { document } = given.inputs
  const profile = profileIn(given.chosenKind)
  const hash = portableHashFunctions.beginSha256()
  try {
    const words = (await wordsPart) ?? notLoaded('document', 'a record')
    const form: VerifyForm = {
      ...given,
      detected: document === undefined ? { form: 'nothing' } : await detect(document),
    }
    if (form.detected.form === 'foreign' && given.chosenKind === null) return { ...form.detected, outcome: 'foreign' }
    const profiled = profile && (await loadProfileCheck())
    const options = profile && profiled?.profileOptions(profile, await readReading(form))
    const trust = await addFindings(report, form, options ?? {}, { ...watching, hash })
    const tookMs = performance.now() - began
    const json = report.toJson()
    const note =
      trust !== null && 'keys' in trust ? await noteOn(form, { ...options, trust }, json.findings, watching) : ''
    const isLines = form.detected.form === 'lines'
    const notProven = listNotProven(form, trust, json, (profile && profiled?.GAPS[profile]) ?? [])
    const bytes = document === undefined || isLines ? null : await bytesOf(document.blob)
    if (bytes !== null) hash.update(bytes)
    const file = { name: document?.name ?? 'Pasted text', sha256: hash.digestHex(), at: new Date() }
    const record = bytes && recordFactsOf(bytes, holderOf(form))
    const facts = bytes === null ? null : (profiled?.signedFactsOf(bytes) ?? null)
    const unread = form.detected.form === 'unreadable' ? form.detected.why : null
    const checked = { report: json, words, isLines, unread, notProven, tookMs, file, note, record, facts }
    return { outcome: 'checked', checked }
  } catch (thrown) {
    if (watching.signal.aborted) return { outcome: 'stopped' }
    const [field, why] = misuseOf(thrown)
    return { outcome: 'misused', field, why }
  }
}

/** Returns the note on trusted keys; '' if the document is valid by the others alone, or these find the same. */
async function noteOn(
  form: VerifyForm,
  given: Partial<CheckOptions> & { trust: PinnedTrust },
  findings: Checked['report']['findings'],
  watching: Watching,
): Promise<string> {
  const { note, others } = await noteOfKeys(form, given.trust)
  const [all, without] = [given.trust, others].map((trust) => trustedKeys(trust).length)
  if (note === '' || all === without) return ''
  if (without === 0) return note
  const report = new FindingsReport()
  const hash = portableHashFunctions.beginSha256()
  await addFindings(report, form, { ...given, trust: others }, { ...watching, hash })
  const isSame = JSON.stringify(report.toJson().findings) === JSON.stringify(findings)
  return isSame || report.verdict() === 'valid' ? '' : note
}

function misuseOf(thrown: unknown): readonly [field: InputName, why: string] {
  if (thrown instanceof InputError) return [thrown.field, thrown.message]
  if (thrown instanceof MisuseError)
    return [MISUSED_FIELDS[thrown.misuse] ?? 'document', MISUSE_MESSAGES[thrown.misuse]]
  if (thrown instanceof LongLineError) return ['document', 'It has a line larger than 16 MiB.']
  if (thrown instanceof DOMException) return ['document', 'A file can no longer be read: choose it again.']
  reportError(thrown)
  return ['document', 'Something went wrong here, so there is no verdict.']
}

/** Forms in which nothing can be checked. */
const NO_EVIDENCE: ReadonlySet<string> = new Set(['too_large', 'keys'])

/** Adds all findings to the report. Returns the trusted keys; null for a checkpoint, which has its own policy. */
async function addFindings(
  report: FindingsReport,
  form: VerifyForm,
  given: Partial<CheckOptions>,
  watching: Watching & { hash: Hashing },
): Promise<Trust | null> {
  const { document } = form.inputs
  if (document === undefined) throw new InputError('document', 'Give what is to be checked.')
  const { detected } = form
  if (NO_EVIDENCE.has(detected.form)) throw new InputError('document', describeDetected(detected) ?? '')
  if (detected.form === 'checkpoint') {
    const [{ checkCheckpoint }, { readWitnessPolicy }] = await loadCheckpointCheck()
    const options = await readCheckpointOptions(form, readWitnessPolicy)
    report.add(await checkCheckpoint(await bytesOf(document.blob), options))
    return null
  }
  const options = { ...(await readOptions(form)), answer: await readAnswer(form), ...given }
  if (detected.form === 'lines') {
    const { LinesCheck: Checking } = await loadLinesCheck()
    await addLines(new Checking(report, options), document.blob, watching)
    return options.trust
  }
  const bytes = await bytesOf(document.blob)
  const [holder, isKeyless] = [holderOf(form), form.trust === 'none' && options.answer === null]
  const inner = isKeyless && /^(?:bundle|receipt)$/.test(holder) ? recordInside(bytes, holder) : null
  if (inner === null) addDocumentFindings(report, bytes, options)
  else {
    const changes = changesIn(bytes, options)
    const record = checkDocument(inner, { ...options, kind: 'record' })
    report.add(changes.length > 0 ? changes : [...record, passed('document', '', ONLY_INSIDE)])
  }
  return options.trust
}

/** Returns the faults of a whole file by the keys inside it. They show a change, but never who signed the file. */
function changesIn(bytes: Uint8Array, options: CheckOptions): Finding[] {
  const read = readJsonObject(bytes)
  if (!read.readable) return []
  // Written again, because a file may escape the letters of a member's name.
  const keys = [...JSON.stringify(read.object).matchAll(/"public_key":"([\w-]+)"/g)].map(([, key = '']) => key)
  const findings = checkDocument(read.object, { ...options, trust: { keys } })
  return findings.filter(({ valid, code }) => !valid && code !== NOT_PROVEN)
}

/** The kind of a document that can hold a record. A receipt is no kind that can be chosen. */
const holderOf = (form: VerifyForm): string => kindOf(form) ?? form.detected.form

const ONLY_INSIDE = { code: 'rest_unchanged', reason: 'No change was found in the rest of the file.' }

/** Loads the check of a file of lines, which most visits do not need. */
const loadLinesCheck = () =>
  import('../../evidence/verify/check-lines.ts').catch(() => notLoaded('document', 'such a file'))

/** Loads the check of a checkpoint, and what reads its keys. */
const loadCheckpointCheck = () =>
  Promise.all([
    import('../../evidence/verify/check-checkpoint.ts'),
    import('../../evidence/checkpoint/witness-policy.ts'),
  ]).catch(() => notLoaded('document', 'a checkpoint'))

function notLoaded(field: InputName, what: string): never {
  throw new InputError(field, `The part that checks ${what} could not be loaded. Reload this page.`)
}

/** Loads the check of a profile that the visitor chose. The page does so at once, so that a check itself sends no request. */
export const loadProfileCheck = (): Promise<typeof profileCheck> =>
  import('./profile-check.ts').catch(() => notLoaded('document', 'such a record'))

/** Loads the example, which few visits need. Null if that fails. */
export const loadExample = () => import('./example.json').catch(() => null)

/** Reads a copy of an answer with code that most visits do not need. Throws InputError. */
async function readAnswer(form: VerifyForm): Promise<AnswerCheck | null> {
  const bytes = await readBytes(form, 'answer')
  if (bytes === null) return null
  const { readAnswerCheck } = await import('../../evidence/verify/check-answer.ts').catch(() =>
    notLoaded('answer', 'an answer'),
  )
  const read = readAnswerCheck(bytes)
  if ('fault' in read) throw new InputError('answer', read.fault)
  return read.check
}

const AT_ONCE_LINES = 20
const AT_ONCE_MS = 40

async function addLines(
  checking: LinesCheck,
  blob: Blob,
  { onProgress, signal, hash }: Watching & { hash: Hashing },
): Promise<void> {
  let [lines, bytes, since] = [0, 0, performance.now()]
  const hashed = async function* () {
    for await (const part of partsOf(blob)) {
      hash.update(part)
      yield part
    }
  }
  for await (const line of linesOf(hashed())) {
    checking.take(line)
    lines += 1
    bytes += line.length + 1
    if (lines % AT_ONCE_LINES !== 0 && performance.now() - since < AT_ONCE_MS) continue
    onProgress({ lines, share: bytes / blob.size })
    await yieldToBrowser()
    signal.throwIfAborted()
    since = performance.now()
  }
  checking.end()
}

/** Lets the browser draw and handle events. Uses a message, because many timers in a row wait some milliseconds each. */
const yieldToBrowser = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
