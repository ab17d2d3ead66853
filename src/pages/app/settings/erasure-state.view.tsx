// The state of an erasure, and the address of its signed record, which is read without signing in.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import type { ErasureRecordSchema, OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { refusalOf, sendRequest } from '../../api/send-request.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { canCancel } from '../frame/erasure-notice.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'

/** Shows the state of an erasure, and the URL of its signed record, which needs no sign-in. */
export function ErasureState({ erasure }: { erasure: OrganisationErasure }) {
  const { status, due_at: dueAt, created_at: askedAt } = erasure
  if (status === 'cancelled') {
    return (
      <Remark tone="good" role="status">
        The erasure is cancelled: keys work again, and everything can be changed again.
      </Remark>
    )
  }
  return (
    <Notice
      tone="bad"
      role="status"
      title={
        canCancel(erasure) ? (
          <>
            It was asked for <Moment at={askedAt} /> and begins <Moment at={dueAt} />. Until then it can be cancelled.
          </>
        ) : (
          <RunningErasure erasure={erasure} />
        )
      }
    >
      <p>
        Its signed record will be at <CopyableValue value={erasure.record_url} what="the address of the record" />. Keep
        this address: it is read without signing in, and <code>countersign-verify</code> checks what is there.
      </p>
    </Notice>
  )
}

type ErasureRecord = Infer<typeof ErasureRecordSchema>

const LOOK_AGAIN_MS = 2_000

/** Waits for the erasure's record by asking repeatedly. The record exists when the erasure is completed. */
function RunningErasure({ erasure: { id } }: { erasure: OrganisationErasure }) {
  const [record, setRecord] = useState<ErasureRecord | null>(null)
  const [attempts, setAttempts] = useState(0)
  const path = `/v1/erasures/${encodeURIComponent(id)}`
  useLayoutEffect(() => {
    if (record !== null) return undefined
    const look = async (): Promise<void> => {
      await refusalOf(sendRequest<ErasureRecord>('GET', path), setRecord)
      setAttempts(attempts + 1)
    }
    const timer = setTimeout(() => void look(), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [attempts, record])
  if (record === null) return <>It has begun and cannot be cancelled. This page looks for its record.</>
  return (
    <>
      It was completed <Moment at={record.completed_at} />. <a href={path}>Its signed record</a>.
    </>
  )
}
