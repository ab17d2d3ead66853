// What countersign-verify does, apart from the process in which it does it.
import { KEPT_KEYS_FAULTS, readKeptKeys, type KeptKeys } from '../../src/evidence/records/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../../src/evidence/records/read-json.ts'
import type { Trust } from '../../src/evidence/records/verify-record.ts'
import { MisuseError, type Against } from '../../src/evidence/verify/against.ts'
import {
  checkCheckpoint,
  checkStamped,
  isCheckpoint,
  stampedCheckpoint,
  type CheckpointAgainst,
  type Growth,
} from '../../src/evidence/verify/check-checkpoint.ts'
import { failed, type Finding } from '../../src/evidence/verify/finding.ts'
import type { Freshness } from '../../src/evidence/verify/freshness.ts'
import { addDocument, LinesCheck } from '../../src/evidence/verify/lines.ts'
import { Report } from '../../src/evidence/verify/report.ts'
import type { JsonObject } from '../../src/platform/json-object.ts'
import { HELP, readArguments, type Arguments, type CheckpointArguments } from './arguments.ts'
import { checkToken, readAuthorities } from './check-timestamp.ts'
import { nativeCryptography } from './native-cryptography.ts'
import { readAll, readLines, SourceError } from './source.ts'
import { rootsFromTiles } from './tiles-source.ts'

/** Where a finding goes, and where a misuse. */
type Said = { print: (text: string) => void; report: (text: string) => void }

type ExitCode = 0 | 1 | 2

export async function runVerify(args: string[], { print, report }: Said): Promise<ExitCode> {
  const read = readArguments(args)
  switch (read.asked) {
    case 'help':
      print(HELP)
      return 0
    case null:
      report(`${read.why} --help shows the forms.`)
      return 2
    case 'check':
      return check(read.arguments, { print, report })
  }
}

async function check(given: Arguments, { print, report }: Said): Promise<ExitCode> {
  try {
    const checked = await makeReport(given)
    print(given.isJson ? JSON.stringify(checked.toJson(), null, 2) : checked.toText(given.isLines))
    return checked.exitCode()
  } catch (thrown) {
    if (thrown instanceof SourceError || thrown instanceof MisuseError) report(thrown.message)
    // Node would end with 1, which means that something is not valid.
    else report(`Something went wrong here: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : ''}`)
    return 2
  }
}

async function makeReport(given: Arguments): Promise<Report> {
  const report = new Report()
  if (given.checkpoint !== null) {
    report.add(await checkAsCheckpoint(given, given.checkpoint))
    return report
  }
  const against: Against = {
    trust: await readTrust(given),
    kind: given.kind,
    profile: given.profile,
    subject: given.subject === null ? null : await readAgainst(given.subject),
    request: given.request === null ? null : await readAgainst(given.request),
    proof: given.proof === null ? null : await readAgainst(given.proof),
    heads: await Promise.all(given.heads.map(readAgainst)),
    freshness: freshnessOf(given.maxAge),
    cryptography: nativeCryptography(),
  }
  if (!given.isLines) {
    const bytes = await readAll(given.source)
    if (isCheckpoint(bytes)) throw new MisuseError('checkpoint_without_log')
    addDocument(report, bytes, against)
    return report
  }
  await addLines(report, given.source, against)
  return report
}

async function addLines(report: Report, source: string, against: Against): Promise<void> {
  const lines = new LinesCheck(report, against)
  for await (const line of readLines(source)) lines.take(line)
  lines.end()
}

async function checkAsCheckpoint(given: Arguments, wanted: CheckpointArguments): Promise<Finding[]> {
  const bytes = await readAll(given.source)
  const against = await readCheckpointAgainst(given, wanted)
  const stamped = stampedCheckpoint(bytes)
  if (wanted.authority === null) return stamped ? checkStamped(stamped, against, null) : checkCheckpoint(bytes, against)
  const authorities = readAuthorities(await readAll(wanted.authority))
  if (authorities === null)
    throw new SourceError(`${wanted.authority}: It has no certificate in PEM, or one that cannot be read.`)
  if (stamped === null) {
    const reason = 'It is no timestamped checkpoint: checkpoint and timestamp_token, and nothing else.'
    return [failed('timestamp', 'the document', 'not_a_timestamp', reason)]
  }
  const { freshness } = against
  return checkStamped(stamped, against, (token, note) => checkToken(token, note, { authorities, freshness }))
}

async function readCheckpointAgainst(
  { proof, maxAge }: Arguments,
  { policy, older, tiles }: CheckpointArguments,
): Promise<CheckpointAgainst> {
  const freshness = freshnessOf(maxAge)
  if (older === null) return { policy, older: null, freshness }
  const growth: Growth =
    tiles !== null
      ? { shownBy: 'tiles', rootsOf: (sizes) => rootsFromTiles(tiles, sizes) }
      : proof !== null
        ? { shownBy: 'proof', proof: await readAgainst(proof) }
        : { shownBy: 'nothing' }
  return { policy, older: { bytes: await readAll(older), growth }, freshness }
}

const freshnessOf = (maxAge: number | null): Freshness | null =>
  maxAge === null ? null : { maxAge, now: Math.floor(Date.now() / 1000) }

async function readTrust({ keys, keptKeys, isIntegrityOnly }: Arguments): Promise<Trust | null> {
  if (isIntegrityOnly) return { integrityOnly: true }
  if (keptKeys !== null) return { keys, kept: await readKept(keptKeys) }
  return keys.length > 0 ? { keys } : null
}

async function readKept(source: string): Promise<KeptKeys> {
  const read = readKeptKeys(await readAgainst(source))
  if (!read.ok) throw new SourceError(`${source}: ${KEPT_KEYS_FAULTS[read.fault]}`)
  return read.keys
}

async function readAgainst(source: string): Promise<JsonObject> {
  const read = readJsonObject(await readAll(source))
  if (!read.readable) throw new SourceError(`${source}: ${READ_FAULTS[read.fault]}`)
  return read.object
}
