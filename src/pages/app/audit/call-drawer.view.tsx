// One call in a drawer beside the trail: what is known of it, its proofs, its cost, its approval, and what was found of them.
import { inOrganisation, type Session } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Command } from '../../parts/command.view.tsx'
import { Exact } from '../../parts/exact.view.tsx'
import { Facts, type Fact } from '../../parts/facts.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { Checks } from '../evidence/checks.view.tsx'
import { OutcomeBadge } from '../evidence/outcome-badge.view.tsx'
import { Proofs } from '../evidence/proofs.view.tsx'
import { Decision, Ending, PeoplesDecisions } from '../evidence/receipt-record.view.tsx'
import { useEvidence, type Evidence } from '../evidence/use-evidence.ts'
import { inWords } from '../evidence/words.ts'
import type { KeyNames } from '../use-keys.ts'
import { Incident } from './incident.view.tsx'
import { KeptContent } from './kept-content.view.tsx'
import type { TrailEntry } from './trail-entry.ts'
import { useEntry } from './use-entry.ts'

type Given = {
  session: Session
  /** The attestation_id of its record. */
  id: string
  /** Its leaf in the log, as the address says; '' where that says nothing. */
  leaf: string
  /** Null where the list, as it is narrowed down, has not come to it. */
  listed: TrailEntry | null
  keyNames: KeyNames
  onClose: () => void
}

export function CallDrawer({ session, id, leaf, listed, keyNames, onClose }: Given) {
  const [loaded, again] = useEvidence(session, id)
  const found = useEntry(session, { id, leaf, listed })
  const entry = found.state === 'answered' ? found.body : null
  return (
    <Dialog title="One call" isDrawer onClose={onClose}>
      {found.state === 'loading' && <Skeleton lines={20} />}
      {entry !== null && <KnownOfCall entry={entry} keyNames={keyNames} />}
      {loaded.state === 'loading' && <Skeleton lines={24} />}
      {loaded.state === 'refused' &&
        (loaded.problem.code === 'not_found' ? (
          found.state !== 'loading' && <NoReceipt id={id} isDescribed={entry !== null} />
        ) : (
          <Refusal problem={loaded.problem} onRetry={again} />
        ))}
      {loaded.state === 'answered' && <Proven session={session} evidence={loaded.body} entry={entry} />}
      {entry !== null && <Incident session={session} trace={entry.trace_id} />}
      {RECORD_ID.test(id) && <KeptContent session={session} id={id} />}
    </Dialog>
  )
}

function KnownOfCall({ entry, keyNames }: { entry: TrailEntry; keyNames: KeyNames }) {
  const { key_id: key } = entry
  return (
    <section class="card stack" aria-labelledby="call">
      <h3 id="call">What became of it</h3>
      <Facts
        facts={[
          ['Decided', <Moment at={entry.timestamp} />],
          ['Outcome', <OutcomeBadge outcome={entry.outcome} />],
          ...factsThatAre([
            ['Reason', entry.reason && inWords(entry.reason)],
            ['Ending', entry.ending && inWords(entry.ending)],
            ['Finish reason', entry.finish_reason],
            ['Cause of failure', entry.error_cause],
          ]),
          ['Model', entry.model],
          ['Provider', entry.provider],
          ['Use case', entry.use_case],
          ['Cohort', entry.cohort],
          ['Key', key && (keyNames.get(key) ?? <Exact value={key} what="the id of the key" />)],
          ['Rules', entry.policy_applied.join(', ')],
          [
            'Cost',
            entry.cost_eur === null
              ? null
              : `${formatEuro(entry.cost_eur)}${entry.cost_estimated === true ? ', estimated' : ''}`,
          ],
          ['Cost prevented, an estimate', formatEuro(entry.cost_prevented_eur)],
          ['Tokens in', countOf(entry.input_tokens, entry.cached_input_tokens, 'from a cache')],
          ['Tokens out', countOf(entry.output_tokens, entry.reasoning_tokens, 'of them reasoning')],
          ['Provider took', entry.response_ms === null ? null : `${formatNumber(entry.response_ms)} ms`],
          ['Trace', <Exact value={entry.trace_id} what="the trace id" />],
          ['Record', <Exact value={entry.attestation_id} what="the id of the record" />],
          ['Request', entry.request_id && <Exact value={entry.request_id} what="the request id" />],
          ['Leaf', `${formatNumber(entry.index)} of the organisation’s log`],
          ['Leaf hash', <Exact value={entry.leaf_hash} what="the leaf hash" />],
        ]}
      />
    </section>
  )
}

const factsThatAre = (facts: readonly Fact[]): readonly Fact[] => facts.filter(([, value]) => value !== null)

const countOf = (all: number | null, some: number | null, what: string): string | null =>
  all === null ? null : `${formatNumber(all)}${some === null || some === 0 ? '' : `, ${formatNumber(some)} ${what}`}`

type Shown = { session: Session; evidence: Evidence; entry: TrailEntry | null }

const Proven = ({ session, evidence, entry }: Shown) => (
  <>
    {entry === null && <Decision receipt={evidence.receipt} />}
    {entry === null && <Ending settlement={evidence.receipt.settlement} />}
    <PeoplesDecisions session={session} receipt={evidence.receipt} />
    <Checks session={session} evidence={evidence} entry={entry} />
    <Proofs receipt={evidence.receipt} />
    <p class="row">
      <button
        type="button"
        class="button"
        onClick={() => saveFile({ name: `receipt-${evidence.receipt.id}.json`, content: evidence.text })}
      >
        Save the record with its proofs
      </button>
      <a href={inOrganisation(session, `/app/receipts?id=${encodeURIComponent(evidence.id)}`)}>As a page, to print</a>
    </p>
  </>
)

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** SECURITY: the id is from the address, which anybody may have written: only a real one gets into a line for a terminal. */
const NoReceipt = ({ id, isDescribed }: { id: string; isDescribed: boolean }) =>
  RECORD_ID.test(id) ? (
    <section class="card stack" aria-labelledby="no-receipt">
      <h3 id="no-receipt">Its record and proofs are not among the medical receipts</h3>
      <p>
        {isDescribed
          ? 'The policy does not call its use case medical, so what stands above is the service’s word.'
          : 'The policy does not call its use case medical, or no call of the organisation has this id. If you know its day, look at the calls of that day.'}{' '}
        Any gateway key of the organisation can ask for them, to be checked without this service:
      </p>
      <Command
        line={`curl -sf "${location.origin}/v1/attestations/${id}?bundle=true" -H "authorization: Bearer $KEY" > evidence.json`}
      />
    </section>
  ) : (
    <div class="notice stack" role="status">
      <p>No call has this id</p>
      <p>It is not the id of a record. Check the link that led here.</p>
    </div>
  )
