// Playground: the signed record of a call as a sheet. Its signature, and that it is of exactly this request, are checked in the browser.
import type { AttestationRecord } from '../../../evidence/records/attestation-record.ts'
import type { PublishedKeyHistory } from '../../../evidence/records/attestation.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, sendRequest, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { failed, unproven } from '../../parts/icons.ts'
import { Seal } from '../../parts/ornament.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { RecordSheet } from '../../parts/record-sheet.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { formatMoment, formatNumber } from '../../text/format.ts'
import { callApi, hasPermission, hasTierFeature, inOrganisation } from '../session.ts'
import type { CallResult } from './send-call.ts'

type Props = { id: string; result: CallResult }

export function CallRecord({ id, result }: Props) {
  const [loaded, again] = useAnswer((signal) => loadRecord(id, result, signal), [id])
  if (loaded.state === 'loading') return <Skeleton lines={15} />
  if (loaded.state === 'refused') return <RefusalNotice problem={loaded.problem} onRetry={again} />
  return <Sheet id={id} {...loaded.body} onRetry={again} />
}

/** `not_loaded`: the code that checks did not come, so nothing was checked. */
type Verdict = 'valid' | 'not_valid' | 'not_loaded'

type LoadedRecord = { call: Call | null; record: AttestationRecord | null; verdict: Verdict }

/** An answer has its record in it. A refusal names its record, which the list of calls has. */
async function loadRecord(
  id: string,
  { aqta, request }: CallResult,
  signal: AbortSignal,
): Promise<Answer<LoadedRecord>> {
  const [listed, keys] = await Promise.all([
    callApi<List<Call>>('GET', '/api/calls', { signal }),
    sendRequest<PublishedKeyHistory>('GET', '/v1/attestation/keys', { signal }),
  ])
  if (listed.outcome === 'refused') return listed
  if (keys.outcome === 'refused') return keys
  const call = listed.body.data.find((one) => one.id === id) ?? null
  const record = aqta?.attestation ?? call?.record ?? null
  if (record === null) return answered({ call, record, verdict: 'not_loaded' })
  try {
    const { isRecordOf } = await import('../evidence/check-receipt-in-browser.ts')
    const isValid = isRecordOf({ id, record, request: request.body, keys: keys.body })
    return answered({ call, record, verdict: isValid ? 'valid' : 'not_valid' })
  } catch {
    return answered({ call, record, verdict: 'not_loaded' })
  }
}

const OUTCOMES = { ALLOWED: 'passed', BLOCKED: 'blocked', SUPPRESSED: 'suppressed' } as const

function Sheet({ id, call, record, verdict, onRetry }: LoadedRecord & { id: string; onRetry: () => void }) {
  const link = <CallLink id={id} call={call} />
  if (record === null) {
    return <p class="notice">The record is not among the newest calls any more. {link}</p>
  }
  const { outcome, timestamp, model, policy_applied: rules, request_hash: hash } = record
  return (
    <RecordSheet
      title="Signed record"
      beside={call !== null && `Entry ${formatNumber(call.index)}`}
      facts={[
        [
          'Decision',
          <>
            <OutcomeBadge outcome={call?.outcome ?? OUTCOMES[outcome]} />{' '}
            <span class="soft small">
              signed as <code>{outcome}</code>
            </span>
          </>,
        ],
        ['Decided', formatMoment(new Date(timestamp), false)],
        ['Model', <span class="nowrap">{model}</span>],
        ['Rules applied', rules.length === 0 ? null : <code>{rules.join(', ')}</code>],
        ['Request hash', <code>{hash}</code>],
      ]}
    >
      {verdict === 'valid' ? <Seal /> : <Icon of={verdict === 'not_valid' ? failed : unproven} />}
      <p class="play-verdict" role="status">
        {VERDICTS[verdict]}
        <br />
        <span class="soft">
          Ed25519 key <code>{record.public_key}</code>
        </span>
      </p>
      <div class="row play-acts">
        {verdict === 'not_loaded' && <Button onClick={onRetry}>Check again</Button>}
        <Button
          onClick={() => saveFile({ name: `record-${id}.json`, content: new Blob([JSON.stringify(record, null, 2)]) })}
        >
          Save as JSON
        </Button>
        <a class="button" href="/verify">
          Open Verify
        </a>
        {link}
      </div>
    </RecordSheet>
  )
}

const VERDICTS = {
  valid: (
    <>
      <strong>Signature valid.</strong> Of exactly this request. Checked in this browser.
    </>
  ),
  not_valid: (
    <>
      <strong>Not valid.</strong> The signature or the request does not match. Tell the operator.
    </>
  ),
  not_loaded: (
    <>
      <strong>Not checked.</strong> The code that checks could not be loaded.
    </>
  ),
} as const satisfies Readonly<Record<Verdict, unknown>>

/** A role that sees all calls finds it by its entry, however many calls came after. */
function CallLink({ id, call }: { id: string; call: Call | null }) {
  const isWhole = hasTierFeature('audit_trail') && hasPermission('audit:read')
  const entry = call === null || !isWhole ? '' : `&leaf=${call.index}`
  return <a href={inOrganisation(`/app/audit?id=${encodeURIComponent(id)}${entry}`)}>See the call</a>
}
