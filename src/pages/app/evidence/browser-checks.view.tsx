// Shows the browser's checks of a call's record and proofs.
import type { Finding } from '../../../evidence/verify/verification-finding.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type * as CheckerModule from './check-receipt-in-browser.ts'
import type { Verdict } from './check-receipt-in-browser.ts'
import { Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import type { LoadedReceipt } from './receipt.view.tsx'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { Card } from '../../parts/page-blocks.view.tsx'

type Props = {
  evidence: LoadedReceipt
  /** The same call in the list of calls, if the page shows it too. */
  call?: Call | null
}

/** The sentence for each kind of document if all of its checks pass. */
const PASS_SENTENCES: Partial<Readonly<Record<Finding['kind'], string>>> = {
  receipt: 'A key of the list has signed it as a whole, so nothing in it was changed since it was answered.',
  record: 'A key of the list has signed it, and nothing in it was changed.',
  organisation_log: 'The path leads from its leaf to a signed head of the organisation’s log.',
  public_log: 'The path leads from its leaf to a signed head of the public log.',
  anchor: 'The organisation’s log is anchored in the public log, and continues what was anchored.',
  settlement: 'How it ended is in the same log, as the entry that settles this record.',
  subject: 'The record that people decided about is signed, and of the same request.',
  acceptance: 'The decision of a person is signed, and about that record.',
  approval: 'As many people have decided as the policy asked for, and the state follows from what they decided.',
  'audit entry':
    'What the list says above is what is signed, but for key, request, provider, use case, cohort, reason, policy version and approval, which are in no signed record.',
}

const VERDICT_LOOKS: Readonly<Record<Verdict, string>> = { valid: 'good', 'not valid': 'bad', 'not proven': 'warn' }

export const VerdictBadge = ({ verdict }: { verdict: Verdict }) => (
  <p role="status">
    <span class={`badge ${VERDICT_LOOKS[verdict]}`}>{verdict}</span>
  </p>
)

type Checker = typeof CheckerModule

/** Loads the code that checks, which only those need who look at a record. Returns a function that loads it again, too. */
function useChecker(): [checker: Checker | 'loading' | 'failed', load: () => void] {
  const [checker, setChecker] = useState<Checker | 'loading' | 'failed'>('loading')
  const load = (): void => {
    setChecker('loading')
    import('./check-receipt-in-browser.ts').then(setChecker, () => setChecker('failed'))
  }
  useLayoutEffect(load, [])
  return [checker, load]
}

export function BrowserChecks({ evidence, call = null }: Props) {
  const [checker, load] = useChecker()
  return (
    <Card title="Checked here, in this browser">
      {checker === 'loading' && <Skeleton lines={12} />}
      {checker === 'failed' && (
        <>
          <p class="fault">Nothing was checked: the code that checks could not be loaded.</p>
          <p>
            <Button onClick={load}>Load it again</Button>
          </p>
        </>
      )}
      {typeof checker === 'object' && <Checks checker={checker} evidence={evidence} call={call} />}
      <p class="soft small">
        By the keys that this service publishes now. Provider, use case and the id of an approval are in no record: they
        are the service’s word, which it signed with the receipt. To rely on its word for nothing, keep its keys from a
        day on which you trust them, and check the saved receipt with the command, or at <a href="/verify">Verify</a>{' '}
        with the network off.
      </p>
    </Card>
  )
}

function Checks({ checker, evidence, call = null }: Props & { checker: Checker }) {
  const checked = useMemo(() => checker.checkLoadedReceipt(evidence), [evidence])
  const compared = call && checker.compareListedCall(call, evidence.receipt)
  const findings = compared === null ? checked : [...checked, compared]
  return (
    <>
      <VerdictBadge verdict={checker.verdictOf(findings)} />
      <ul class="findings">
        {findings.map(({ kind, valid, code, reason, subject }) => (
          <li key={`${kind} ${subject}`}>
            <span class={`badge ${valid ? (code === null ? 'good' : 'warn') : 'bad'}`}>
              {valid ? (code === null ? 'pass' : 'note') : 'fail'}
            </span>
            <span>
              <b>{withSpaces(kind)}</b> {reason ?? PASS_SENTENCES[kind]}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
