// The verifier page's check of a document, in the browser. It checks a few lines at a time, so that the page responds.
import type { Trust } from '../../evidence/records/verify-record.ts'
import { MisuseError } from '../../evidence/verify/options.ts'
import { checkCheckpoint, checkStamped, stampedCheckpoint } from '../../evidence/verify/check-checkpoint.ts'
import { addDocument, LinesCheck, linesOf, LongLineError } from '../../evidence/verify/check-lines.ts'
import { Report, type ReportJson } from '../../evidence/verify/report.ts'
import { MISUSES_HERE, InputError, readOptions, readCheckpointOptions, type VerifyForm } from './form.ts'
import { findUnchecked } from './unchecked.ts'
import { bytesOf, describeDetected, detect } from './detect.ts'

export type Progress = { readonly lines: number; readonly share: number }

export type Checked = {
  readonly report: ReportJson
  readonly isLines: boolean
  /** Sentences about what the verdict does not prove. */
  readonly unchecked: readonly string[]
  readonly tookMs: number
}

export type Outcome =
  | { readonly outcome: 'checked'; readonly checked: Checked }
  | { readonly outcome: 'misused'; readonly field: InputError['field']; readonly why: string }
  | { readonly outcome: 'stopped' }

type Watching = { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal }

export async function check(given: Omit<VerifyForm, 'detected'>, watching: Watching): Promise<Outcome> {
  const report = new Report()
  const began = performance.now()
  const { document } = given.inputs
  let form: VerifyForm = { ...given, detected: { form: 'nothing' } }
  let trust: Trust | null = null
  try {
    if (document !== undefined) form = { ...given, detected: await detect(document) }
    trust = await addAll(report, form, watching)
  } catch (thrown) {
    if (watching.signal.aborted) return { outcome: 'stopped' }
    return misused(thrown)
  }
  const tookMs = performance.now() - began
  const json = report.toJson()
  const isLines = form.detected.form === 'lines'
  const unchecked = findUnchecked(form, trust, json)
  return { outcome: 'checked', checked: { report: json, isLines, unchecked, tookMs } }
}

function misused(thrown: unknown): Outcome {
  if (thrown instanceof InputError) return { outcome: 'misused', field: thrown.field, why: thrown.message }
  if (thrown instanceof MisuseError) {
    const field = thrown.misuse === 'no_trust' ? 'keys' : 'document'
    return { outcome: 'misused', field, why: MISUSES_HERE[thrown.misuse] }
  }
  if (thrown instanceof LongLineError) {
    return { outcome: 'misused', field: 'document', why: 'It has a line larger than 16 MiB.' }
  }
  if (thrown instanceof DOMException) {
    return { outcome: 'misused', field: 'document', why: 'A file can no longer be read: choose it again.' }
  }
  reportError(thrown)
  return { outcome: 'misused', field: 'document', why: 'Something went wrong here, so there is no verdict.' }
}

/** Adds all findings to the report. Returns the trusted keys; null for a checkpoint, which has its own policy. */
async function addAll(report: Report, form: VerifyForm, watching: Watching): Promise<Trust | null> {
  const { document } = form.inputs
  if (document === undefined) throw new InputError('document', 'Give what is to be checked.')
  const { detected } = form
  if (detected.form === 'nothing') throw new InputError('document', 'There is nothing in it.')
  if (detected.form === 'too_large' || detected.form === 'keys')
    throw new InputError('document', describeDetected(detected) ?? '')
  if (detected.form === 'checkpoint') {
    const bytes = await bytesOf(document.blob)
    const options = await readCheckpointOptions(form)
    const stamped = stampedCheckpoint(bytes)
    report.add(await (stamped ? checkStamped(stamped, options, null) : checkCheckpoint(bytes, options)))
    return null
  }
  const options = await readOptions(form)
  if (detected.form === 'lines') await addLines(new LinesCheck(report, options), document.blob, watching)
  else addDocument(report, await bytesOf(document.blob), options)
  return options.trust
}

const AT_ONCE_LINES = 20
const AT_ONCE_MS = 40

async function addLines(checking: LinesCheck, blob: Blob, { onProgress, signal }: Watching): Promise<void> {
  let [lines, bytes, since] = [0, 0, performance.now()]
  for await (const line of linesOf(partsOf(blob))) {
    checking.take(line)
    lines += 1
    bytes += line.length + 1
    if (lines % AT_ONCE_LINES !== 0 && performance.now() - since < AT_ONCE_MS) continue
    onProgress({ lines, share: bytes / blob.size })
    await turnOver()
    signal.throwIfAborted()
    since = performance.now()
  }
  checking.end()
}

/** Lets the browser draw and handle events. Uses a message, because many timers in a row wait some milliseconds each. */
const turnOver = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })

/** Yields the blob's bytes. Uses a reader, because some browsers cannot loop over a stream. */
async function* partsOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}
