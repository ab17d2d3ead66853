// Where an erasure stands, and where its signed record is to be read, with no sign-in, once it is completed.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import type { ErasureRecordSchema, OrganisationErasure } from '../../../management/erasure/erasure.schema.ts'
import { call } from '../../api/call.ts'
import { Exact } from '../../parts/exact.view.tsx'
import { canCancel } from '../closing/closing.ts'
import { Moment } from '../../parts/moment.view.tsx'

const LOOK_AGAIN_MS = 2_000

export function ErasureState({ erasure }: { erasure: OrganisationErasure }) {
  const { status, due_at: dueAt, created_at: askedAt } = erasure
  if (status === 'cancelled') {
    return (
      <p class="notice good" role="status">
        The erasure is cancelled: keys work again, and everything can be changed again.
      </p>
    )
  }
  return (
    <div class="notice bad stack" role="status">
      {canCancel(erasure) && (
        <p>
          It was asked for <Moment at={askedAt} /> and begins <Moment at={dueAt} />. Until then it can be cancelled.
        </p>
      )}
      {!canCancel(erasure) && <Running erasure={erasure} />}
      <p>
        Its signed record will be at <Exact value={erasure.record_url} what="the address of the record" />. Keep this
        address: it is read without signing in, and <code>countersign-verify</code> checks what is there.
      </p>
    </div>
  )
}

type ErasureRecord = z.infer<typeof ErasureRecordSchema>

/** Looks for the record, which is there once the erasure is completed. */
function Running({ erasure: { id } }: { erasure: OrganisationErasure }) {
  const [record, setRecord] = useState<ErasureRecord | null>(null)
  const [looked, setLooked] = useState(0)
  const path = `/v1/erasures/${encodeURIComponent(id)}`
  useLayoutEffect(() => {
    if (record !== null) return undefined
    const look = async (): Promise<void> => {
      const answer = await call<ErasureRecord>('GET', path)
      if (answer.outcome === 'answered') setRecord(answer.body)
      setLooked(looked + 1)
    }
    const timer = setTimeout(() => void look(), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [looked, record])
  if (record === null) return <p>It has begun and cannot be cancelled. This page looks for its record.</p>
  return (
    <p>
      It was completed <Moment at={record.completed_at} />. <a href={path}>Its signed record</a>.
    </p>
  )
}
