// One key: what is known of it, and what can be done with it.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Exact } from '../../parts/exact.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenedHeading } from '../../parts/opened-heading.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { inWords } from '../../text/in-words.ts'
import { callIn } from '../call-in.ts'
import { ChangeKey } from './change-key.view.tsx'
import {
  isOfGateway,
  limitsOf,
  mayChange,
  mayEnd,
  ofRevoked,
  scopesOf,
  standingOf,
  stub,
  type CreatedKey,
} from './key-words.ts'
import { RevokeKey } from './revoke-key.view.tsx'
import { RotateKey } from './rotate-key.view.tsx'

const NO_KEY = { not_found: 'This organisation has no key with this id.' }

type Given = {
  session: Session
  id: string
  nameOf: (id: string) => string
  /** It is another than before: what has become of it, in words. */
  onChanged: (said: string) => void
  onRotated: (created: CreatedKey, old: Key) => void
}

export function KeyCard({ session, id, nameOf, onChanged, onRotated }: Given) {
  const [loaded, again] = useAnswer<Key>(
    (signal) => callIn<Key>(session, 'GET', `/api/keys/${encodeURIComponent(id)}`, { signal }),
    [id],
  )
  const [asking, setAsking] = useState<'change' | 'rotate' | 'revoke' | null>(null)
  if (loaded.state === 'loading') return <Skeleton lines={12} />
  if (loaded.state === 'refused') return <Refusal problem={inWords(loaded.problem, NO_KEY)} onRetry={again} />

  const key = loaded.body
  // Whoever was refused sees what the key is by now.
  const close = (): void => {
    setAsking(null)
    again()
  }
  const done = (said: string) => (): void => {
    close()
    onChanged(said)
  }
  return (
    <section class="card stack">
      <OpenedHeading>{key.name}</OpenedHeading>
      <Facts of={key} nameOf={nameOf} />
      <Acts session={session} of={key} onAsk={setAsking} />
      {asking === 'change' && <ChangeKey session={session} subject={key} onDone={done('Saved.')} onClose={close} />}
      {asking === 'rotate' && (
        <RotateKey
          session={session}
          subject={key}
          onRotated={(created, old) => {
            close()
            onRotated(created, old)
          }}
          onClose={close}
        />
      )}
      {asking === 'revoke' && (
        <RevokeKey session={session} subject={key} onDone={(revoked) => done(ofRevoked(revoked))()} onClose={close} />
      )}
    </section>
  )
}

function Acts({
  session,
  of,
  onAsk,
}: {
  session: Session
  of: Key
  onAsk: (what: 'change' | 'rotate' | 'revoke') => void
}) {
  const changes = mayChange(session, of)
  const ends = of.status === 'active' && mayEnd(session, of)
  if (!changes && !ends) return null
  return (
    <p class="row">
      {changes && (
        <button type="button" class="button" onClick={() => onAsk('change')}>
          Rename or limit
        </button>
      )}
      {changes && of.replaced_by === null && (
        <button type="button" class="button" onClick={() => onAsk('rotate')}>
          Rotate
        </button>
      )}
      {ends && (
        <button type="button" class="button danger" onClick={() => onAsk('revoke')}>
          Revoke
        </button>
      )}
    </p>
  )
}

function Facts({ of, nameOf }: { of: Key; nameOf: (id: string) => string }) {
  const { words, look } = standingOf(of)
  return (
    <dl class="facts">
      <dt>Standing</dt>
      <dd>
        <span class={`badge ${look}`}>{words}</span>
      </dd>
      <dt>Begins and ends with</dt>
      <dd class="hash">{stub(of)}</dd>
      <dt>May</dt>
      <dd>{scopesOf(of)}</dd>
      <dt>Last used</dt>
      <dd>{of.last_used_at === null ? 'never' : <Moment at={of.last_used_at} />}</dd>
      <dt>{of.status === 'active' ? 'Ends' : 'Ended'}</dt>
      <dd>
        {(of.revoked_at ?? of.expires_at) === null ? (
          'it has no end'
        ) : (
          <Moment at={of.revoked_at ?? of.expires_at ?? ''} />
        )}
      </dd>
      {of.replaced_by !== null && (
        <>
          <dt>Replaced by</dt>
          <dd>
            <OpenLink change={{ id: of.replaced_by }}>the key that was made in its place</OpenLink>
          </dd>
        </>
      )}
      <dt>Limits</dt>
      <dd>{isOfGateway(of) ? limitsOf(of) : 'those of the referral service'}</dd>
      <dt>Made</dt>
      <dd>
        <Moment at={of.created_at} /> by {nameOf(of.created_by)}
      </dd>
      <dt>Id</dt>
      <dd>
        <Exact value={of.id} what="the id of the key" />
      </dd>
    </dl>
  )
}
