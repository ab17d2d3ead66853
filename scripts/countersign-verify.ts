#!/usr/bin/env node
// countersign-verify: checks records, proofs, heads and exports from outside, with the pure modules alone.
import { READ_FAULTS, readJsonObject, type JsonObject } from '../src/attestation/read-json.ts'
import { HELP, readArguments, type Arguments } from './verify/arguments.ts'
import { checkDocument, NoTrustError, type Against } from './verify/check-document.ts'
import { Report } from './verify/report.ts'
import { readAll, readLines, SourceError } from './verify/source.ts'

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
    if (thrown instanceof SourceError) return misunderstood(thrown.message)
    if (thrown instanceof NoTrustError) {
      return misunderstood('A record or a head needs --key KEY, or --integrity-only to trust none.')
    }
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
  const against: Against = {
    trust: given.trust,
    request: given.request === null ? null : await readAgainst(given.request),
    proof: given.proof === null ? null : await readAgainst(given.proof),
    heads: await Promise.all(given.heads.map(readAgainst)),
  }
  if (!given.isLines) {
    add(report, await readAll(given.source), against)
    return report
  }
  let number = 0
  for await (const line of readLines(given.source)) {
    number += 1
    if (!isBlank(line)) add(report, line, against, number)
  }
  return report
}

function add(report: Report, bytes: Uint8Array, against: Against, line?: number): void {
  const read = readJsonObject(bytes)
  if (read.readable) report.add(checkDocument(read.object, against), line)
  else report.addUnreadable(read.fault, line)
}

async function readAgainst(source: string): Promise<JsonObject> {
  const read = readJsonObject(await readAll(source))
  if (!read.readable) throw new SourceError(`${source}: ${READ_FAULTS[read.fault]}`)
  return read.object
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
