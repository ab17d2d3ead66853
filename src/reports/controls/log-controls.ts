// Controls L1 to L8 of the compliance report, on the log: it has every call, unchanged, for long enough, and a copy elsewhere. It
// knows how calls end, and their measured costs.
import { DAY_MS } from '../../platform/time.ts'
import { SIX_MONTHS_DAYS } from '../../policies/log-retention.policy.ts'
import { control, NO_CALLS, noData, passIf, percentOf, type ControlDefinition } from './control.ts'
import { HELD_OUTSIDE_DAYS } from './recent-evidence.policy.ts'

/** A receipt is sent to the public log within seconds, so one that waits for over a minute is late. */
const LATE_SECONDS = 60

const MOST_INTERRUPTED_PERCENT = 1
const MOST_ESTIMATED_PERCENT = 5

const NO_RECEIPT = 'There is no receipt yet.'

export const LOG_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'L1',
    title: 'Every call that was decided is recorded',
    weight: 3,
    earns: false,
    sources: ['AI Act 12(1)', 'AI Act 19'],
    query: 'Receipts of the latest whole days, against calls in usage, running ones included.',
    wouldPass: 'Both numbers are the same. Where they are not, tell the operator: a rebuild of the usage shows where.',
    link: '/api/analytics/requests',
    linkFeature: 'analytics',
    measure: ({ recorded }) => {
      if (recorded === null) return noData('No call of the period is at hand to be counted.')
      const { receipts, counted, inFlight, further, from, to } = recorded
      return { values: { from, to, receipts, counted, in_flight: inFlight, further_receipts: further } }
    },
    judge: ({ receipts, counted, in_flight: inFlight, further_receipts: further }) =>
      passIf(receipts === counted + inFlight + further),
  }),
  control({
    id: 'L2',
    title: 'Log entries match their hashes',
    weight: 3,
    earns: false,
    sources: ['AI Act 12', 'AI Act 15', 'GDPR 32'],
    query: 'Random entries against their leaves; the stored tree against its signed root.',
    wouldPass: 'Every entry that was read has the hash of its leaf, and the nodes lead to the root.',
    link: '/api/compliance/audit-logs',
    measure: ({ sample, tree }) => {
      if (tree.rootMatches === null) return noData('The log is empty.')
      const values = {
        entries_read: sample.read,
        differing: sample.differing.length,
        tree_size: tree.size,
        root_matches: tree.rootMatches,
      }
      const isNothingCompared = sample.read === 0 && sample.differing.length === 0
      if (tree.rootMatches && isNothingCompared) {
        return noData('No entry that was drawn could be read: no hash was compared.', values)
      }
      return { values, positions: sample.differing, sample: sample.draw }
    },
    judge: ({ root_matches: rootMatches, differing }) => passIf(rootMatches && differing === 0),
  }),
  control({
    id: 'L3',
    title: 'Records are in the public log',
    weight: 3,
    earns: false,
    sources: ['AI Act 12'],
    query: 'The age of the oldest receipt that is not in the public log: a minute at most.',
    wouldPass: 'Receipts reach the public log within a minute. It is the service that hands them over.',
    link: '/v1/public/transparency/checkpoint',
    measure: ({ publication: { lastReceipt, waiting }, now }) => {
      if (lastReceipt < 0 && waiting === null) return noData(NO_RECEIPT)
      const seconds = waiting === null ? 0 : Math.max(0, Math.floor((now - waiting.at) / 1000))
      return {
        values: { last_receipt_handed_over: lastReceipt, oldest_waiting_seconds: seconds },
        positions: waiting !== null && seconds > LATE_SECONDS ? [waiting.position] : [],
      }
    },
    judge: ({ oldest_waiting_seconds: seconds }) => passIf(seconds <= LATE_SECONDS),
  }),
  control({
    id: 'L4',
    title: 'A copy of the log’s signed head was taken out',
    weight: 1,
    earns: false,
    sources: ['good practice'],
    query: `An export or report with a signed head or leaves, within ${HELD_OUTSIDE_DAYS} days.`,
    wouldPass: `Somebody exports the data, the audit log or a report at least every ${HELD_OUTSIDE_DAYS} days, and keeps it elsewhere.`,
    link: '/api/compliance/audit-logs',
    measure: ({ lastExport, publication: { lastReceipt, waiting }, now }) => {
      if (lastReceipt < 0 && waiting === null) return noData(NO_RECEIPT)
      return {
        values: {
          latest: lastExport && new Date(lastExport.at).toISOString(),
          act: lastExport && lastExport.act,
          days_ago: lastExport && Math.floor((now - lastExport.at) / DAY_MS),
        },
        positions: lastExport === null ? [] : [lastExport.position],
      }
    },
    judge: ({ days_ago: days }) => passIf(days !== null && days <= HELD_OUTSIDE_DAYS),
  }),
  control({
    id: 'L5',
    title: 'Logs are kept for at least six months',
    weight: 3,
    earns: false,
    sources: ['AI Act 19(1)', 'AI Act 26(6)'],
    query: `Days that details of decisions are kept, against ${SIX_MONTHS_DAYS}.`,
    wouldPass: `Details are kept for ${SIX_MONTHS_DAYS} days or more. The tiers free (7 days) and starter (90 days) keep them for less and cannot pass; pro, healthcare and enterprise can.`,
    link: '/api/settings',
    measure: ({ data: { retentionDays }, tier, calls: { requests }, sample }) => {
      if (requests === 0) return noData(NO_CALLS)
      const ofCalls = sample.calls.map((call) => call.retentionDays)
      return {
        values: {
          retention_days: retentionDays,
          least_of_calls: ofCalls.length === 0 ? null : Math.min(...ofCalls),
          needed_days: SIX_MONTHS_DAYS,
          tier,
        },
        sample: sample.draw,
      }
    },
    judge: ({ retention_days: days, least_of_calls: least }) =>
      passIf(Math.min(days, least ?? days) >= SIX_MONTHS_DAYS),
  }),
  control({
    id: 'L6',
    title: 'Nothing is deleted before its time',
    weight: 2,
    earns: false,
    sources: ['GDPR 5(1)(f)', 'GDPR 32'],
    query: 'Of the entries of L2, those that should be kept and cannot be read.',
    wouldPass: 'Every entry of the sample whose retention is not over can be read.',
    measure: ({ sample }) => {
      const looked = sample.read + sample.differing.length + sample.missing.length
      if (looked === 0) return noData('No entry is to be kept yet.')
      return {
        values: { entries_looked_for: looked, unreadable: sample.missing.length },
        positions: sample.missing,
        sample: sample.draw,
      }
    },
    judge: ({ unreadable }) => passIf(unreadable === 0),
  }),
  control({
    id: 'L7',
    title: 'It is known how calls end',
    weight: 1,
    earns: false,
    sources: ['AI Act 12'],
    query: `Interrupted calls of those that passed: under ${MOST_INTERRUPTED_PERCENT} percent.`,
    wouldPass: `Under ${MOST_INTERRUPTED_PERCENT} percent of calls are interrupted.`,
    link: '/api/analytics/requests?group_by=ending',
    linkFeature: 'analytics',
    measure: ({ calls: { passed, interrupted } }) =>
      passed === 0
        ? noData('No call of the period passed.')
        : { values: { passed, interrupted, percent: percentOf(interrupted, passed) } },
    judge: ({ passed, interrupted }) => passIf(interrupted * 100 < passed * MOST_INTERRUPTED_PERCENT),
  }),
  control({
    id: 'L8',
    title: 'Costs are measured',
    weight: 1,
    earns: false,
    sources: ['good practice'],
    query: `Completed calls whose provider reported no tokens: under ${MOST_ESTIMATED_PERCENT} percent.`,
    wouldPass: `Under ${MOST_ESTIMATED_PERCENT} percent of completed calls are paid for by an estimate.`,
    link: '/api/analytics/costs',
    linkFeature: 'analytics',
    measure: ({ calls: { completed, estimated } }) =>
      completed === 0
        ? noData('No call of the period was completed.')
        : { values: { completed, estimated, percent: percentOf(estimated, completed) } },
    judge: ({ completed, estimated }) => passIf(estimated * 100 < completed * MOST_ESTIMATED_PERCENT),
  }),
]
