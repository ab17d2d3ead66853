// The stored reasons of decisions. The log records who reads them, so they load only when a person asks.
import type { Infer } from '../../../platform/once.ts'
import type { ReasonsSchema } from '../../../management/approvals/approvals.schema.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Note, Row, Stack } from '../../parts/layout.view.tsx'
import { Quote } from '../../parts/surfaces.view.tsx'
import { personOf, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi } from '../session.ts'

export function DecisionNotes({ id, nameOf }: { id: string; nameOf: NameOf }) {
  const {
    ask,
    isAsking,
    problem,
    body: reasons,
  } = useButtonRequest(() => callApi<Infer<typeof ReasonsSchema>>('GET', `/api/approvals/${id}/reasons`))
  return (
    <>
      {reasons === null && (
        <Row as="p">
          <Button isDisabled={isAsking} onClick={ask}>
            Read the reasons
          </Button>
          <Note>The log says who has read them.</Note>
        </Row>
      )}
      {problem !== null && <RefusalNotice problem={problem} />}
      <Stack role="status" gap={2}>
        {reasons !== null && reasons.data.length === 0 && <p>No reason was given.</p>}
        {reasons?.data.map(({ acceptance_id: record, decided_by: by, reason }) => (
          <Quote key={record} title={reason ?? 'This reason is not kept.'} by={personOf(nameOf, by)} />
        ))}
      </Stack>
    </>
  )
}
