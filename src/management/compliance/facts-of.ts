// Combines the facts for the checklist, from the organisation's object, the accounts and this deployment.
import type { AttestationKeys } from '../../evidence/records/attestation-keys.ts'
import { currentKey } from '../../evidence/records/attestation-keys.ts'
import type { Facts, MemberFacts, SigningFacts } from '../../reports/controls/control.ts'
import type { Gathered, Period } from '../../organisation/compliance/gathered.ts'
import { anomalySubject } from '../../organisation/bias/anomaly.ts'
import { disparitySubject } from '../../organisation/bias/outcomes.ts'
import { catalogueModels } from '../../providers/catalogue.ts'
import { dateOf } from '../date-range.ts'
import type { ErasureCounts } from './compliance-people.store.ts'

type Known = {
  gathered: Gathered
  period: Period
  jurisdiction: string
  members: MemberFacts
  erasures: ErasureCounts
  /** Null if this deployment has none. */
  keys: AttestationKeys | null
}

export function factsOf({ gathered, period, jurisdiction, members, erasures, keys }: Known): Facts {
  const { now, tier, usage, recorded, sample, tree, publication, lastExport, apiKeys, approvals, policy } = gathered
  const models = catalogueModels().filter(({ gateway }) => gateway)
  const providers = gathered.enabledProviders.map((id) => {
    const regions = new Set(models.filter(({ provider }) => provider === id).map(({ region }) => region))
    return { id, regions: [...regions] }
  })
  return {
    now,
    tier,
    start: dateOf(period.first),
    end: dateOf(period.last),
    calls: usage.calls,
    recorded,
    sample,
    tree,
    publication,
    lastExport,
    signing: signingFacts(keys, now),
    apiKeys,
    members,
    policy: { ...policy, modelsOffered: models.length },
    hasMonthlyBudget: gathered.hasMonthlyBudget,
    approvals,
    monitoring: monitoringFacts(gathered),
    data: {
      jurisdiction,
      providers,
      contentDays: gathered.contentDays,
      retentionDays: gathered.retentionDays,
      sealed: gathered.sealed,
      erasures,
    },
  }
}

function monitoringFacts({ bias, lastBiasReport, incidents, statements, policy }: Gathered): Facts['monitoring'] {
  const comparisons = bias?.compared.flatMap(({ wanted, report }) =>
    report.comparisons.map(({ group, verdict }) => {
      return { verdict, subject: disparitySubject(wanted.by, wanted.outcome, group) }
    }),
  )
  return {
    lastBiasReport,
    anomalies: bias?.anomalies.map((anomaly) => ({ subject: anomalySubject(anomaly) })) ?? null,
    cohorts: policy.document.bias?.cohorts ?? [],
    compared: comparisons?.filter(({ verdict }) => verdict !== 'not_enough_data').length ?? 0,
    disparities: comparisons?.filter(({ verdict }) => verdict === 'disparity') ?? null,
    stated: new Set(statements.map(({ subject }) => subject)),
    incidents,
  }
}

function signingFacts(keys: AttestationKeys | null, now: number): SigningFacts {
  if (keys === null) return { current: null, isThrowAway: false, history: [] }
  const history = keys.history.map(({ public_key: publicKey, status, valid_from: from, valid_until: until }) => {
    return { publicKey, status, validFrom: Date.parse(from), validUntil: until === null ? null : Date.parse(until) }
  })
  return { current: currentKey(keys, now)?.public_key ?? null, isThrowAway: keys.isThrowAway, history }
}
