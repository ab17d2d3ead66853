// One receipt, whole: to read, to print, to save, and to check.
import type { Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { Checks } from '../evidence/checks.view.tsx'
import { PrintSource } from '../evidence/print-source.view.tsx'
import { Proofs } from '../evidence/proofs.view.tsx'
import { Decision, Ending, PeoplesDecisions } from '../evidence/receipt-record.view.tsx'
import { useEvidence, type Evidence } from '../evidence/use-evidence.ts'

type Given = { session: Session; id: string }

export function ReceiptDetail({ session, id }: Given) {
  const [loaded, again] = useEvidence(session, id)
  return (
    <>
      <p class="no-print">
        <OpenLink change={{ id: '' }}>All receipts</OpenLink>
      </p>
      {loaded.state === 'loading' && <Skeleton lines={30} />}
      {loaded.state === 'refused' && <Refusal problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' && <Whole session={session} evidence={loaded.body} />}
    </>
  )
}

function Whole({ session, evidence }: { session: Session; evidence: Evidence }) {
  const { receipt, text } = evidence
  return (
    <article class="stack" aria-labelledby="receipt">
      <div class="row between">
        <h2 id="receipt">Medical receipt</h2>
        <p class="row no-print">
          <button
            type="button"
            class="button"
            onClick={() => saveFile({ name: `receipt-${receipt.id}.json`, content: text })}
          >
            Save as JSON
          </button>
          <button type="button" class="button" onClick={() => print()}>
            Print
          </button>
        </p>
      </div>
      <div class="columns">
        <Decision receipt={receipt} />
        <Ending settlement={receipt.settlement} />
      </div>
      <PeoplesDecisions session={session} receipt={receipt} />
      <Checks session={session} evidence={evidence} />
      <Proofs receipt={receipt} />
      <section class="stack" aria-labelledby="check-it">
        <h3 id="check-it">Check it without this service</h3>
        <p>Save the receipt, and the keys on a day on which you trust them:</p>
        <Command line={`curl -sf ${location.origin}/v1/attestation/keys > kept-keys.json`} />
        <Command line={`npx countersign-verify receipt-${receipt.id}.json --keys kept-keys.json`} />
        <p class="soft small">
          A receipt shows what this gateway decided and recorded about a call. It does not show that an answer was
          right, that anybody read it, or what was done for a patient; it is no part of a patient’s record, and no
          replacement of one.
        </p>
      </section>
      <PrintSource
        session={session}
        hash={receipt.organisation_log.proof.leaf_hash}
        what="the leaf in the organisation’s log"
      />
    </article>
  )
}
