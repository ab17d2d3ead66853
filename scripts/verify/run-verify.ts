// Runs countersign-verify: reads the arguments and sources, checks, prints the findings and returns the exit code.
import {
  MisuseError,
  type Misuse,
  type AnswerCheck,
  type CheckOptions,
  type EntryObserver,
  type ReadingEvidence,
} from '../../src/evidence/verify/check-options.ts'
import { KEY_LIST_FAULTS, readKeyList, type KeyList } from '../../src/evidence/records/key-list.ts'
import { READ_FAULTS, readJsonObject } from '../../src/evidence/records/read-json-object.ts'
import type { Trust } from '../../src/evidence/records/verify-record.ts'
import { checkCheckpoint, type CheckpointOptions, type Growth } from '../../src/evidence/verify/check-checkpoint.ts'
import type { Finding } from '../../src/evidence/verify/verification-finding.ts'
import type { Freshness } from '../../src/evidence/verify/freshness.ts'
import { PROFILE_CHECKS, readEntryBytes } from '../../src/evidence/verify/check-reading.ts'
import { readAnswerCheck } from '../../src/evidence/verify/check-answer.ts'
import { isCheckpoint } from '../../src/evidence/checkpoint/checkpoint.ts'
import { proofAndHeads } from '../../src/evidence/verify/check-proof.ts'
import { addDocumentFindings } from '../../src/evidence/verify/check-document.ts'
import { LinesCheck } from '../../src/evidence/verify/check-lines.ts'
import { FindingsReport } from '../../src/evidence/verify/findings-report.ts'
import type { JsonObject } from '../../src/platform/json.ts'
import { ClosedDaysCheck } from './check-closed-days.ts'
import { ControlCheck } from './check-control.ts'
import {
  HELP,
  findMisuseOfLines,
  readArguments,
  type VerifyArguments,
  type CheckpointArguments,
} from './verify-arguments.ts'
import { UsageError, usageOf, type Output } from '../command-line.ts'
import { nativeCryptography } from './native-cryptography.ts'
import {
  openSource,
  readSource,
  readLines,
  readWhole,
  rootsFromTiles,
  SourceError,
  type OpenedSource,
} from './read-verify-sources.ts'

type ExitCode = 0 | 1 | 2

export async function runVerify(args: string[], { print, report }: Output): Promise<ExitCode> {
  try {
    const given = readArguments(args)
    if (given === null) {
      print(HELP)
      return 0
    }
    const checked = await makeReport(given)
    const { report: findings, isLines } = checked
    print(given.values.json ? JSON.stringify(findings.toJson(), null, 2) : findings.toText(isLines))
    return findings.exitCode()
  } catch (thrown) {
    if (thrown instanceof UsageError) report(`${thrown.message}\n${usageOf(HELP)}`)
    else if (thrown instanceof MisuseError) report(MISUSES[thrown.misuse])
    else if (thrown instanceof SourceError) report(thrown.message)
    // Node would exit with 1, which means that something is not valid.
    else
      report(
        `Something went wrong. Please report this error: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : ''}`,
      )
    return 2
  }
}

async function makeReport(given: VerifyArguments): Promise<{ report: FindingsReport; isLines: boolean }> {
  const report = new FindingsReport()
  if (given.checkpoint !== null) {
    report.add(await checkAsCheckpoint(given, given.checkpoint))
    return { report, isLines: false }
  }
  const control = await readControl(given)
  const closedDays = new ClosedDaysCheck()
  const options = await readOptions(given, control === null ? [closedDays] : [closedDays, control])
  const opened = await openSource(given.source)
  try {
    const isLines = given.values.lines === true || opened.isLines
    if (isLines) await addLinesFindings(report, opened, given, options)
    else {
      const bytes = await readWhole(opened)
      if (isCheckpoint(bytes)) throw new MisuseError('checkpoint_without_log')
      addDocumentFindings(report, bytes, options)
    }
    report.addOfWhole(closedDays.finish())
    if (control !== null) report.addOfWhole(control.finish())
    return { report, isLines }
  } finally {
    await opened.close()
  }
}

async function addLinesFindings(
  report: FindingsReport,
  opened: OpenedSource,
  given: VerifyArguments,
  options: CheckOptions,
): Promise<void> {
  const why = findMisuseOfLines(given.values)
  if (why !== null) throw new UsageError(why)
  const lines = new LinesCheck(report, options)
  for await (const line of readLines(opened)) lines.take(line)
  lines.end()
}

async function readControl({ values: { control, report } }: VerifyArguments): Promise<ControlCheck | null> {
  if (control === undefined || report === undefined) return null
  const check = ControlCheck.of(control, await readSource(report))
  if (typeof check === 'string') throw new SourceError(`${report}: ${check}`)
  return check
}

async function readOptions(given: VerifyArguments, observers: readonly EntryObserver[]): Promise<CheckOptions> {
  const { subject, request } = given.values
  return {
    trust: await readTrust(given),
    kind: given.kind,
    profile: given.profile && PROFILE_CHECKS[given.profile],
    subject: await readIfNamed(subject),
    reading: await readReadingEvidence(given.values),
    request: await readIfNamed(request),
    ...proofAndHeads(
      await readIfNamed(given.values.proof),
      await Promise.all(given.values.head?.map(readObject) ?? []),
    ),
    freshness: freshnessOf(given.maxAge),
    now: Date.now(),
    answer: await readAnswer(given.values.answer),
    observers,
    cryptography: nativeCryptography(),
  }
}

async function readReadingEvidence({ letter, salt, entry }: VerifyArguments['values']): Promise<ReadingEvidence> {
  return {
    letter: letter === undefined ? null : await readSource(letter),
    salt: salt ?? null,
    entry: entry === undefined ? null : readEntryBytes(await readSource(entry)),
  }
}

async function readAnswer(source: string | undefined): Promise<AnswerCheck | null> {
  if (source === undefined) return null
  const read = readAnswerCheck(await readSource(source))
  if ('fault' in read) throw new SourceError(`${source}: ${read.fault}`)
  return read.check
}

const checkAsCheckpoint = async (given: VerifyArguments, wanted: CheckpointArguments): Promise<Finding[]> =>
  checkCheckpoint(await readSource(given.source), await readCheckpointOptions(given, wanted))

async function readCheckpointOptions(
  { values: { proof }, maxAge }: VerifyArguments,
  { policy, older, tiles }: CheckpointArguments,
): Promise<CheckpointOptions> {
  const freshness = freshnessOf(maxAge)
  if (older === null) return { policy, older: null, freshness }
  const growth: Growth =
    tiles !== null
      ? { shownBy: 'tiles', rootsOf: (sizes) => rootsFromTiles(tiles, sizes) }
      : proof !== undefined
        ? { shownBy: 'proof', proof: await readObject(proof) }
        : { shownBy: 'nothing' }
  return { policy, older: { bytes: await readSource(older), growth }, freshness }
}

const freshnessOf = (maxAge: number | null): Freshness | null =>
  maxAge === null ? null : { maxAge, now: Math.floor(Date.now() / 1000) }

async function readTrust({
  values: { key: keys = [], keys: kept, ...values },
}: VerifyArguments): Promise<Trust | null> {
  if (values['integrity-only']) return { integrityOnly: true }
  if (kept !== undefined) return { keys, list: await readSavedKeyList(kept) }
  return keys.length > 0 ? { keys } : null
}

async function readSavedKeyList(source: string): Promise<KeyList> {
  const read = readKeyList(await readObject(source))
  if (!read.ok) throw new SourceError(`${source}: ${KEY_LIST_FAULTS[read.fault]}`)
  return read.keys
}

async function readObject(source: string): Promise<JsonObject> {
  const read = readJsonObject(await readSource(source))
  if (!read.readable) throw new SourceError(`${source}: ${READ_FAULTS[read.fault]}`)
  return read.object
}

const readIfNamed = async (source: string | undefined): Promise<JsonObject | null> =>
  source === undefined ? null : readObject(source)

/** Reasons why a combination of inputs is refused. */
const MISUSES: Readonly<Record<Misuse, string>> = {
  no_trust: 'This check needs --key KEY or --keys FILE. A record can have --integrity-only instead.',
  integrity_of_no_record: '--integrity-only is for a record alone. Anything else needs a key you trust.',
  receipt_with_more: 'This is a medical receipt. Give a key and nothing else.',
  export_with_more: 'This is an export. Give a key and nothing else.',
  request_of_no_record: 'Give --request only with a record.',
  proof_of_no_record: 'Give --proof only with a record.',
  head_of_no_proof: 'Give --head only with a proof, or with a record and its --proof.',
  answer_of_no_bundle: 'Give --answer only with an evidence bundle.',
  checkpoint_without_log: 'This is a checkpoint. Give --log VKEY.',
  letter_without_salt: 'Give --letter and --salt together.',
  proof_of_no_entry: 'Give --proof of a reading only with its --entry.',
  age_of_no_head: 'Give --max-age only with a head, a proof with its heads, or a checkpoint.',
}
