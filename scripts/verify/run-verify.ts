// Runs countersign-verify, apart from the process in which it runs.
import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { encodeBase64url } from '../../src/evidence/records/base64.ts'
import { verifyEd25519 } from '../../src/evidence/records/ed25519.ts'
import { type Cryptography, MisuseError, type Against } from '../../src/evidence/verify/against.ts'
import { beginSha256, sha256 } from '../../src/platform/sha256.ts'
import { KEPT_KEYS_FAULTS, readKeptKeys, type KeptKeys } from '../../src/evidence/records/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../../src/evidence/records/read-json.ts'
import type { Trust } from '../../src/evidence/records/verify-record.ts'
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
import { HELP, readArguments, UsageError, type Arguments, type CheckpointArguments } from './arguments.ts'
import { readAuthorities } from './certificate.ts'
import { readAll, readLines, rootsFromTiles, SourceError } from './sources.ts'
import { checkToken } from './timestamp-token.ts'

/** `print` takes findings, and `report` takes what was misused or failed. */
type Output = { print: (text: string) => void; report: (text: string) => void }

type ExitCode = 0 | 1 | 2

export async function runVerify(args: string[], { print, report }: Output): Promise<ExitCode> {
  try {
    const given = readArguments(args)
    if (given === null) {
      print(HELP)
      return 0
    }
    const checked = await makeReport(given)
    print(given.values.json ? JSON.stringify(checked.toJson(), null, 2) : checked.toText(given.isLines))
    return checked.exitCode()
  } catch (thrown) {
    if (thrown instanceof UsageError) report(`${thrown.message} --help shows the forms.`)
    else if (thrown instanceof SourceError || thrown instanceof MisuseError) report(thrown.message)
    // Node would exit with 1, which means that something is not valid.
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
  const { subject, request, proof, head: heads = [] } = given.values
  const against: Against = {
    trust: await readTrust(given),
    kind: given.kind,
    profile: given.profile,
    subject: await readIfNamed(subject),
    request: await readIfNamed(request),
    proof: await readIfNamed(proof),
    heads: await Promise.all(heads.map(readAgainst)),
    freshness: freshnessOf(given.maxAge),
    cryptography: nativeCryptography(),
  }
  if (given.isLines) {
    const lines = new LinesCheck(report, against)
    for await (const line of readLines(given.source)) lines.take(line)
    lines.end()
  } else {
    const bytes = await readAll(given.source)
    if (isCheckpoint(bytes)) throw new MisuseError('checkpoint_without_log')
    addDocument(report, bytes, against)
  }
  return report
}

async function checkAsCheckpoint(given: Arguments, wanted: CheckpointArguments): Promise<Finding[]> {
  const { source, values } = given
  const bytes = await readAll(source)
  const against = await readCheckpointAgainst(given, wanted)
  const stamped = stampedCheckpoint(bytes)
  if (values.authority === undefined) {
    return stamped ? checkStamped(stamped, against, null) : checkCheckpoint(bytes, against)
  }
  const authorities = readAuthorities(await readAll(values.authority))
  if (authorities === null)
    throw new SourceError(`${values.authority}: It has no certificate in PEM, or one that cannot be read.`)
  if (stamped === null) {
    const reason = 'It is no timestamped checkpoint: checkpoint and timestamp_token, and nothing else.'
    return [failed('timestamp', 'the document', 'not_a_timestamp', reason)]
  }
  const { freshness } = against
  return checkStamped(stamped, against, (token, note) => checkToken(token, note, { authorities, freshness }))
}

async function readCheckpointAgainst(
  { values: { proof }, maxAge }: Arguments,
  { policy, older, tiles }: CheckpointArguments,
): Promise<CheckpointAgainst> {
  const freshness = freshnessOf(maxAge)
  if (older === null) return { policy, older: null, freshness }
  const growth: Growth =
    tiles !== null
      ? { shownBy: 'tiles', rootsOf: (sizes) => rootsFromTiles(tiles, sizes) }
      : proof !== undefined
        ? { shownBy: 'proof', proof: await readAgainst(proof) }
        : { shownBy: 'nothing' }
  return { policy, older: { bytes: await readAll(older), growth }, freshness }
}

const freshnessOf = (maxAge: number | null): Freshness | null =>
  maxAge === null ? null : { maxAge, now: Math.floor(Date.now() / 1000) }

async function readTrust({ values: { key: keys = [], keys: kept, ...values } }: Arguments): Promise<Trust | null> {
  if (values['integrity-only']) return { integrityOnly: true }
  if (kept !== undefined) return { keys, kept: await readKept(kept) }
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

const readIfNamed = async (source: string | undefined): Promise<JsonObject | null> =>
  source === undefined ? null : readAgainst(source)

const nativeCryptography = (): Cryptography => ({ sha256, beginSha256, verifyEd25519: createNativeVerifier() })

/**
 * Node's own code takes a twentieth of the time. It agrees with `verifyEd25519` for every key that is no point of small order, so
 * both judge the first signature of each key.
 */
function createNativeVerifier(): typeof verifyEd25519 {
  const keys = new Map<string, KeyObject>()
  return (signature, message, publicKey) => {
    const x = encodeBase64url(publicKey)
    const known = keys.get(x)
    if (known !== undefined) return verify(null, message, known, signature)
    const isValid = verifyEd25519(signature, message, publicKey)
    // A key of small order verifies nothing, so it never becomes known.
    if (isValid) keys.set(x, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }))
    return isValid
  }
}
