// Playground: the signed record of a call as a sheet. Its signature, and that it is of exactly this request, are checked in the browser.
import { recordStatusOf } from '../../../evidence/records/call-endings.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { handToVerifier } from '../../api/handed-evidence.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { formatNumber } from '../../text/format.ts'
import type { SignedCallRecord } from '../evidence/check-receipt-in-browser.ts'
import { SignedRecord } from '../evidence/signed-record.view.tsx'
import { checkedRecord } from '../playground-link.view.tsx'
import { callApi, inOrganisation, organisation, seesAllCalls } from '../session.ts'
import type { CallResult } from './send-call.ts'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Row } from '../../parts/layout.view.tsx'

type Props = { id: string; result: CallResult }

export const CallRecord = ({ id, result }: Props) => (
  <Answered answer={useAnswer((signal) => loadRecord(id, result, signal), [id])} lines={15}>
    {(loaded) => <Sheet id={id} request={result.request.body} {...loaded} />}
  </Answered>
)

type LoadedRecord = { call: Call | null; record: SignedCallRecord | null }

/** An answer has its record in it. A refusal names its record, which the list of calls has. */
async function loadRecord(id: string, { aqta }: CallResult, signal: AbortSignal): Promise<Answer<LoadedRecord>> {
  const listed = await callApi<List<Call>>('GET', '/api/calls', { signal })
  if (listed.outcome === 'refused') return listed
  const call = listed.body.data.find((one) => one.id === id) ?? null
  return answered({ call, record: aqta?.attestation ?? call?.record ?? null })
}

function Sheet({ id, call, record, request }: LoadedRecord & { id: string; request: object }) {
  // A role that sees all calls finds it by its entry, however many calls came after.
  const entry = call === null || !seesAllCalls() ? '' : `&leaf=${call.index}`
  const link = <a href={inOrganisation(`/app/calls?id=${encodeURIComponent(id)}${entry}`)}>See the call</a>
  if (record === null) return <Remark>The record is not among the newest calls any more. {link}</Remark>
  localStorage.setItem(checkedRecord(organisation().id), '')
  const [name, text] = [`record-${id}.json`, JSON.stringify(record, null, 2)]
  return (
    <SignedRecord
      id={id}
      record={record}
      request={request}
      outcome={call?.outcome ?? recordStatusOf(record.outcome)}
      ending={call?.ending ?? null}
      beside={call !== null && `Entry ${formatNumber(call.index)}`}
    >
      <Row isWhole>
        <Button onClick={() => saveFile({ name, content: new Blob([text]) })}>Save as JSON</Button>
        <Button onClick={() => handToVerifier({ name, text })}>Open in Verify</Button>
        {link}
      </Row>
    </SignedRecord>
  )
}
