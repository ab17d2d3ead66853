// Checks documents that contain several others: an evidence bundle and a history bundle.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { verifyEvidence, type EvidencePart } from '../bundles/evidence-bundle.ts'
import { assessHistory, HISTORY_VERDICTS } from '../bundles/history-bundle.ts'
import { checkAnchor, lastLeafOf } from './check-anchor.ts'
import { pinnedTrustOf, type CheckOptions } from './options.ts'
import { failed, passed, plain, type Finding } from './finding.ts'

export function checkEvidence(bundle: JsonObject, options: CheckOptions): Finding[] {
  const trust = pinnedTrustOf(options)
  const parts = verifyEvidence(bundle, trust).map(({ part, fault }) => {
    const subject = describe(bundle, part)
    return fault === null ? passed(part, subject) : failed(part, subject, fault.code, fault.reason)
  })
  if (parts.some(({ kind }) => kind === 'bundle')) return parts
  const { organisation_log: log, public_log: publicLog, settlement, keys, anchor } = bundle
  const head = isJsonObject(log) ? log['head'] : undefined
  const listed = isJsonObject(keys) ? keys['keys'] : undefined
  const of = { head, last: lastLeafOf([log, settlement]), keys: listed, publicLog }
  return [...parts, checkAnchor(anchor, of, trust)]
}

export function checkHistory(bundle: JsonObject, options: CheckOptions): Finding {
  const verdict = assessHistory(bundle, pinnedTrustOf(options))
  const counts = ['heads', 'consistency', 'inclusions'].map((name) => `${countOf(bundle[name])} ${name}`)
  const subject = counts.join(', ')
  if (verdict !== 'consistent') return failed('history', subject, verdict, HISTORY_VERDICTS[verdict])
  return passed('history', subject)
}

const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

function describe(bundle: JsonObject, part: EvidencePart): string {
  const { record, settlement } = bundle
  switch (part) {
    case 'record':
      return ['attestation_id', 'outcome', 'model', 'timestamp'].map((name) => memberOf(record, name)).join('  ')
    case 'organisation_log':
      return logOf(bundle['organisation_log'], memberOf(record, 'org_id'))
    case 'public_log':
      return logOf(bundle['public_log'], 'public log')
    case 'settlement':
      return `of leaf ${memberOf(settlement, 'settles')}`
    case 'keys':
      return 'the bundle’s own list'
    case 'bundle':
      return plain(bundle['format'])
  }
}

function logOf(log: unknown, name: string): string {
  const proof = isJsonObject(log) ? log['proof'] : null
  return `${name}, leaf ${memberOf(proof, 'leaf_index')} of ${memberOf(proof, 'tree_size')}`
}

const memberOf = (value: unknown, name: string): string => plain(isJsonObject(value) ? value[name] : undefined)
