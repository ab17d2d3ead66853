#!/usr/bin/env node
// countersign-verify: checks records, proofs, heads, bundles and exports from outside, with the pure modules alone.
import { KEPT_KEYS_FAULTS, readKeptKeys, type KeptKeys } from '../src/attestation/kept-keys.ts'
import { READ_FAULTS, readJsonObject } from '../src/attestation/read-json.ts'
import type { JsonObject } from '../src/platform/json-object.ts'
import type { Trust } from '../src/attestation/verify-record.ts'
import { parseCheckpoint } from '../src/ledger/checkpoint/checkpoint.ts'
import { parseNote } from '../src/ledger/checkpoint/signed-note.ts'
import { parseTimestampedCheckpoint } from '../src/ledger/timestamp/timestamped-checkpoint.ts'
import { HELP, readArguments, type Arguments, type CheckpointArguments } from './verify/arguments.ts'
import { MisuseError, type Against } from './verify/against.ts'
import { checkCheckpoint, type Growth } from './verify/check-checkpoint.ts'
import { checkDocument } from './verify/check-document.ts'
import { checkTimestamp, readAuthorities } from './verify/check-timestamp.ts'
import type { Finding } from './verify/finding.ts'
import { Report } from './verify/report.ts'
import { readAll, readLines, SourceError } from './verify/source.ts'
import { rootsFromTiles } from './verify/tiles-source.ts'

process.exitCode = await main()

async function main(): Promise<0 | 1 | 2> {
  const read = readArguments(process.argv.slice(2))
  switch (read.asked) {
    case 'help':
      console.log(HELP)
      return 0
    case null:
      return misunderstood(`${read.why} --help shows the forms.`)
    case 'check':
      return check(read.arguments)
  }
}

async function check(given: Arguments): Promise<0 | 1 | 2> {
  try {
    const report = await makeReport(given)
    console.log(given.isJson ? JSON.stringify(report.toJson(), null, 2) : report.toText(given.isLines))
    return report.exitCode()
  } catch (thrown) {
    if (thrown instanceof SourceError || thrown instanceof MisuseError) return misunderstood(thrown.message)
    // Node would end with 1, which means that something is not valid.
    return misunderstood(
      `Something went wrong here: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : ''}`,
    )
  }
}

function misunderstood(why: string): 2 {
  console.error(why)
  return 2
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
    request: given.request === null ? null : await readAgainst(given.request),
    proof: given.proof === null ? null : await readAgainst(given.proof),
    heads: await Promise.all(given.heads.map(readAgainst)),
  }
  if (!given.isLines) {
    const bytes = await readAll(given.source)
    if (isCheckpoint(bytes)) throw new MisuseError('This is a checkpoint: it is checked with --log VKEY.')
    add(report, bytes, against)
    return report
  }
  let number = 0
  for await (const line of readLines(given.source)) {
    number += 1
    if (!isBlank(line)) add(report, line, against, number)
  }
  return report
}

async function checkAsCheckpoint(given: Arguments, wanted: CheckpointArguments): Promise<Finding[]> {
  if (wanted.authority === null) {
    const bytes = await readAll(given.source)
    if (isTimestamped(bytes))
      throw new MisuseError('This is a timestamped checkpoint: it is checked with --authority FILE too.')
    return checkNote(bytes, given, wanted)
  }
  const authorities = readAuthorities(await readAll(wanted.authority))
  if (authorities === null)
    throw new SourceError(`${wanted.authority}: It has no certificate in PEM, or one that cannot be read.`)
  const { finding, note } = checkTimestamp(await readAgainst(given.source), authorities)
  return note === null ? [finding] : [...(await checkNote(note, given, wanted)), finding]
}

async function checkNote(bytes: Uint8Array, { proof }: Arguments, { policy, older, tiles }: CheckpointArguments) {
  if (older === null) return checkCheckpoint(bytes, { policy, older: null })
  const growth: Growth =
    tiles !== null
      ? { shownBy: 'tiles', rootsOf: (sizes) => rootsFromTiles(tiles, sizes) }
      : proof !== null
        ? { shownBy: 'proof', proof: await readAgainst(proof) }
        : { shownBy: 'nothing' }
  return checkCheckpoint(bytes, { policy, older: { bytes: await readAll(older), growth } })
}

function isCheckpoint(bytes: Uint8Array): boolean {
  const read = parseNote(bytes)
  return read.ok && parseCheckpoint(read.note.text) !== null
}

function isTimestamped(bytes: Uint8Array): boolean {
  const read = readJsonObject(bytes)
  return read.readable && parseTimestampedCheckpoint(read.object) !== null
}

function add(report: Report, bytes: Uint8Array, against: Against, line?: number): void {
  const read = readJsonObject(bytes)
  if (read.readable) report.add(checkDocument(read.object, against), line)
  else report.addUnreadable(read.fault, line)
}

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

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
