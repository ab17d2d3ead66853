// Controls L1 to L8 of the compliance report, on the log: it has every call, unchanged, for long enough, and a copy elsewhere. It
// knows how calls end, and their measured costs.
import { DAY_MS } from '../../platform/time.ts'
import { judged, notApplicable, percentOf, type ControlDefinition } from './control.ts'

/** A receipt is sent to the public log within seconds, so one that waits for a minute is late. */
const LATE_MS = 60_000

/** The longest six months, in days. */
const SIX_MONTHS_DAYS = 183

const HELD_OUTSIDE_DAYS = 30
const MOST_INTERRUPTED_PERCENT = 1
const MOST_ESTIMATED_PERCENT = 5

export const LOG_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'L1',
    title: 'Every call that was decided is recorded',
    weight: 3,
    sources: ['AI Act 12(1)', 'AI Act 19'],
    query:
      'Receipts of the latest whole days, against calls in usage, running ones included. An approved call has two receipts.',
    wouldPass: 'Both numbers are the same. Where they are not, tell the operator: a rebuild of the usage shows where.',
    link: '/api/analytics/requests',
    judge: ({ recorded }) => {
      if (recorded === null) return notApplicable('No call of the period is at hand to be counted.')
      const { receipts, counted, inFlight, further, from, to } = recorded
      const values = { from, to, receipts, counted, in_flight: inFlight, further_receipts: further }
      return judged(receipts === counted + inFlight + further, values)
    },
  },
  {
    id: 'L2',
    title: 'Log entries match their hashes',
    weight: 3,
    sources: ['AI Act 12', 'AI Act 15', 'GDPR 32'],
    query: 'Random entries against their leaves; the stored tree against its signed root.',
    wouldPass: 'Every entry that was read has the hash of its leaf, and the nodes lead to the root.',
    link: '/v1/transparency/sth',
    judge: ({ sample, tree }) => {
      if (tree.rootMatches === null) return notApplicable('The log is empty.')
      const values = {
        entries_read: sample.read,
        differing: sample.differing.length,
        tree_size: tree.size,
        root_matches: tree.rootMatches,
      }
      const isNothingCompared = sample.read === 0 && sample.differing.length === 0
      if (tree.rootMatches && isNothingCompared) {
        return notApplicable('No entry that was drawn could be read: no hash was compared.', values)
      }
      return judged(tree.rootMatches && sample.differing.length === 0, values, [...sample.differing])
    },
  },
  {
    id: 'L3',
    title: 'Records are in the public log',
    weight: 3,
    sources: ['AI Act 12'],
    query: 'The age of the oldest receipt that is not in the public log: a minute at most.',
    wouldPass: 'Receipts reach the public log within a minute. It is the service that hands them over.',
    link: '/v1/public/transparency/checkpoint',
    judge: ({ publication: { lastReceipt, waiting }, now }) => {
      if (lastReceipt < 0 && waiting === null) return notApplicable('There is no receipt yet.')
      const seconds = waiting === null ? 0 : Math.max(0, Math.floor((now - waiting.at) / 1000))
      const isLate = waiting !== null && now - waiting.at > LATE_MS
      const values = { last_receipt_handed_over: lastReceipt, oldest_waiting_seconds: seconds }
      return judged(!isLate, values, isLate ? [waiting.position] : [])
    },
  },
  {
    id: 'L4',
    title: 'A copy of the log’s signed head is kept elsewhere',
    weight: 2,
    sources: ['good practice'],
    query: `An export or report with a signed head or leaves, within ${HELD_OUTSIDE_DAYS} days.`,
    wouldPass: `Somebody exports the data, the audit log or a report at least every ${HELD_OUTSIDE_DAYS} days, and keeps it elsewhere.`,
    link: '/api/compliance/audit-logs',
    judge: ({ lastExport, now }) => {
      if (lastExport === null) return judged(false, { latest: null })
      const days = Math.floor((now - lastExport.at) / DAY_MS)
      const values = { latest: new Date(lastExport.at).toISOString(), act: lastExport.act, days_ago: days }
      return judged(now - lastExport.at <= HELD_OUTSIDE_DAYS * DAY_MS, values, [lastExport.position])
    },
  },
  {
    id: 'L5',
    title: 'Logs are kept for at least six months',
    weight: 3,
    sources: ['AI Act 19(1)', 'AI Act 26(6)'],
    query: `Days that details of decisions are kept, against ${SIX_MONTHS_DAYS}.`,
    wouldPass: `Details are kept for ${SIX_MONTHS_DAYS} days or more. The tiers free (7 days) and starter (90 days) keep them for less and cannot pass; pro, healthcare and enterprise can.`,
    link: '/api/settings',
    judge: ({ data: { retentionDays }, tier }) =>
      judged(retentionDays >= SIX_MONTHS_DAYS, { retention_days: retentionDays, needed_days: SIX_MONTHS_DAYS, tier }),
  },
  {
    id: 'L6',
    title: 'Nothing is deleted before its time',
    weight: 2,
    sources: ['AI Act 12', 'GDPR 5(1)(e)'],
    query: 'Of the entries of L2, those that should be kept and cannot be read.',
    wouldPass: 'Every entry of the sample whose retention is not over can be read.',
    judge: ({ sample }) => {
      const looked = sample.read + sample.differing.length + sample.missing.length
      if (looked === 0) return notApplicable('No entry is to be kept yet.')
      return judged(sample.missing.length === 0, { entries_looked_for: looked, unreadable: sample.missing.length }, [
        ...sample.missing,
      ])
    },
  },
  {
    id: 'L7',
    title: 'It is known how calls end',
    weight: 1,
    sources: ['AI Act 12'],
    query: `Interrupted calls of those that passed: under ${MOST_INTERRUPTED_PERCENT} percent.`,
    wouldPass: `Under ${MOST_INTERRUPTED_PERCENT} percent of calls are interrupted.`,
    link: '/api/analytics/requests?group_by=ending',
    judge: ({ calls: { passed, interrupted } }) => {
      if (passed === 0) return notApplicable('No call of the period passed.')
      const values = { passed, interrupted, percent: percentOf(interrupted, passed) }
      return judged(interrupted * 100 < passed * MOST_INTERRUPTED_PERCENT, values)
    },
  },
  {
    id: 'L8',
    title: 'Costs are measured',
    weight: 1,
    sources: ['good practice'],
    query: `Completed calls whose provider reported no tokens: under ${MOST_ESTIMATED_PERCENT} percent.`,
    wouldPass: `Under ${MOST_ESTIMATED_PERCENT} percent of completed calls are paid for by an estimate.`,
    link: '/api/analytics/costs',
    judge: ({ calls: { completed, estimated } }) => {
      if (completed === 0) return notApplicable('No call of the period was completed.')
      const values = { completed, estimated, percent: percentOf(estimated, completed) }
      return judged(estimated * 100 < completed * MOST_ESTIMATED_PERCENT, values)
    },
  },
]
