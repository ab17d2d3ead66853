// The signed record of a person's decision as a sheet, checked in this browser: its signature, and that it is about this refusal.
import type { NamedApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import { Note } from '../../parts/layout.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { formatMoment } from '../../text/format.ts'
import { CheckedSheet } from '../evidence/signed-record.view.tsx'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { DECISION_WORDS } from './approval-words.ts'

type RecordedDecision = NamedApprovalWithRecords['decisions'][number]

type Props = { of: NamedApprovalWithRecords; decision: RecordedDecision; nameOf: NameOf }

export function SignedDecision({ of, decision: { decision, acceptance, counts }, nameOf }: Props) {
  if (acceptance === null) {
    return <Remark>The signed record of this decision is not kept any more. Its entry in the log is.</Remark>
  }
  const { attestation: subject, attestation_id: subjectId } = of
  return (
    <CheckedSheet
      title="Signed decision"
      facts={[
        [
          'Decision',
          <>
            {DECISION_WORDS[decision]}{' '}
            <Note>
              signed as <code>{acceptance.decision}</code>
            </Note>{' '}
            {!counts && <Badge>Counts no more</Badge>}
          </>,
        ],
        ['Signed', formatMoment(new Date(acceptance.timestamp), false)],
        ['Decided by', `${nameOf(acceptance.reviewer_ref)}, ${acceptance.reviewer_authority.replace(/^role:/, '')}`],
        ['About record', <code>{acceptance.subject_id}</code>],
        ['Record hash', <code>{acceptance.subject_hash}</code>],
      ]}
      check={(checker, keys) => checker.checkDecision({ acceptance, subject, subjectId, keys })}
      on={[acceptance, subject, subjectId]}
    />
  )
}
