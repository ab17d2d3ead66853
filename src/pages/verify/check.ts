// Checks the document in this browser. It checks lines a few at a time, so that the page stays responsive.
import type { Trust } from '../../evidence/records/verify-record.ts'
import { MisuseError } from '../../evidence/verify/against.ts'
import { checkCheckpoint, checkStamped, stampedCheckpoint } from '../../evidence/verify/check-checkpoint.ts'
import { addDocument, LinesCheck, linesOf, LongLineError } from '../../evidence/verify/lines.ts'
import { Report, type ReportJson } from '../../evidence/verify/report.ts'
import { MISUSES_HERE, PlaceError, readAgainst, readCheckpointAgainst, type Asked } from './asked.ts'
import { findUnchecked } from './unchecked.ts'
import { bytesOf, describeTold, tell } from './told.ts'

export type Progress = { readonly lines: number; readonly share: number }

export type Checked = {
  readonly report: ReportJson
  readonly isLines: boolean
  /** Sentences about what the verdict does not show. */
  readonly unchecked: readonly string[]
  readonly tookMs: number
}

export type Outcome =
  | { readonly outcome: 'checked'; readonly checked: Checked }
  | { readonly outcome: 'misused'; readonly place: PlaceError['place']; readonly why: string }
  | { readonly outcome: 'stopped' }

type Watching = { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal }

export async function check(given: Omit<Asked, 'told'>, watching: Watching): Promise<Outcome> {
  const report = new Report()
  const began = performance.now()
  const { document } = given.inputs
  let asked: Asked = { ...given, told: { form: 'nothing' } }
  let trust: Trust | null = null
  try {
    if (document !== undefined) asked = { ...given, told: await tell(document) }
    trust = await addAll(report, asked, watching)
  } catch (thrown) {
    if (watching.signal.aborted) return { outcome: 'stopped' }
    return misused(thrown)
  }
  const tookMs = performance.now() - began
  const json = report.toJson()
  const isLines = asked.told.form === 'lines'
  const unchecked = findUnchecked(asked, trust, json)
  return { outcome: 'checked', checked: { report: json, isLines, unchecked, tookMs } }
}

function misused(thrown: unknown): Outcome {
  if (thrown instanceof PlaceError) return { outcome: 'misused', place: thrown.place, why: thrown.message }
  if (thrown instanceof MisuseError) {
    const place = thrown.misuse === 'no_trust' ? 'keys' : 'document'
    return { outcome: 'misused', place, why: MISUSES_HERE[thrown.misuse] }
  }
  if (thrown instanceof LongLineError) {
    return { outcome: 'misused', place: 'document', why: 'It has a line larger than 16 MiB.' }
  }
  if (thrown instanceof DOMException) {
    return { outcome: 'misused', place: 'document', why: 'A file can no longer be read: choose it again.' }
  }
  reportError(thrown)
  return { outcome: 'misused', place: 'document', why: 'Something went wrong here, so there is no verdict.' }
}

/** Adds all findings. Returns the keys it was checked with; null for a checkpoint, which has its own policy. */
async function addAll(report: Report, asked: Asked, watching: Watching): Promise<Trust | null> {
  const { document } = asked.inputs
  if (document === undefined) throw new PlaceError('document', 'Give what is to be checked.')
  const { told } = asked
  if (told.form === 'nothing') throw new PlaceError('document', 'There is nothing in it.')
  if (told.form === 'too_large' || told.form === 'keys') throw new PlaceError('document', describeTold(told) ?? '')
  if (told.form === 'checkpoint') {
    const bytes = await bytesOf(document.blob)
    const against = await readCheckpointAgainst(asked)
    const stamped = stampedCheckpoint(bytes)
    report.add(await (stamped ? checkStamped(stamped, against, null) : checkCheckpoint(bytes, against)))
    return null
  }
  const against = await readAgainst(asked)
  if (told.form === 'lines') await addLines(new LinesCheck(report, against), document.blob, watching)
  else addDocument(report, await bytesOf(document.blob), against)
  return against.trust
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

/** Lets the browser draw and handle events. It uses a message, because many timers in a row wait some milliseconds each. */
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

/** Reads by a reader, because some browsers cannot loop over a stream. */
async function* partsOf(blob: Blob): AsyncGenerator<Uint8Array> {
  const reader = blob.stream().getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}
