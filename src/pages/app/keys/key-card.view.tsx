// Keys page: shows one key and its buttons: change, rotate, revoke.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Answered, OpenedHeading } from '../../parts/answer-notices.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { useApi } from '../session.ts'
import { ChangeKey, RevokeKey, RotateKey } from './key-forms.view.tsx'
import {
  isGatewayKey,
  limitsOf,
  mayChangeKey,
  mayRevokeKey,
  describeRevoked,
  scopesOf,
  KeyStatusBadge,
  maskedKey,
  type KeyWithMade,
  type RotatedKey,
} from './key-labels.tsx'

const NO_KEY = { not_found: 'This organisation has no key with this id.' }

type Props = {
  id: string
  nameOf: NameOf
  /** Called after a change. @param message a sentence about what was done */
  onChanged: (message: string) => void
  onRotated: (rotated: RotatedKey, old: Key) => void
}

type Act = 'change' | 'rotate' | 'revoke'

export function KeyCard({ id, nameOf, onChanged, onRotated }: Props) {
  const answer = useApi<KeyWithMade>(`/api/keys/${encodeURIComponent(id)}`)
  const [acting, setActing] = useState<Act | null>(null)
  const [, again] = answer
  // Closing loads the key again, even after a refusal, because somebody else may have changed it.
  const close = (): void => {
    setActing(null)
    again()
  }
  const done = (message: string): void => {
    close()
    onChanged(message)
  }
  const rotated = (created: RotatedKey, old: Key): void => {
    close()
    onRotated(created, old)
  }
  return (
    <Answered answer={answer} lines={12} words={NO_KEY}>
      {(key) => (
        <section class="card stack">
          <OpenedHeading>{key.name}</OpenedHeading>
          <KeyFacts of={key} nameOf={nameOf} />
          <Acts of={key} onAct={setActing} />
          {acting === 'change' && <ChangeKey subject={key} onDone={done} onClose={close} />}
          {acting === 'rotate' && <RotateKey subject={key} onRotated={rotated} onClose={close} />}
          {acting === 'revoke' && (
            <RevokeKey subject={key} onDone={(revoked) => done(describeRevoked(revoked))} onClose={close} />
          )}
        </section>
      )}
    </Answered>
  )
}

function Acts({ of, onAct }: { of: Key; onAct: (act: Act) => void }) {
  const changes = mayChangeKey(of)
  const ends = of.status === 'active' && mayRevokeKey(of)
  if (!changes && !ends) return null
  return (
    <p class="row">
      {changes && <Button onClick={() => onAct('change')}>Rename or limit</Button>}
      {changes && of.replaced_by === null && <Button onClick={() => onAct('rotate')}>Rotate</Button>}
      {ends && (
        <Button look="danger" onClick={() => onAct('revoke')}>
          Revoke
        </Button>
      )}
    </p>
  )
}

function KeyFacts({ of, nameOf }: { of: Key; nameOf: NameOf }) {
  const end = of.revoked_at ?? of.expires_at
  return (
    <Facts
      facts={[
        ['Standing', <KeyStatusBadge of={of} />],
        ['Begins and ends with', <span class="hash">{maskedKey(of)}</span>],
        ['May', scopesOf(of)],
        ['Last used', of.last_used_at === null ? 'never' : <Moment at={of.last_used_at} />],
        [of.status === 'active' ? 'Ends' : 'Ended', end === null ? 'it has no end' : <Moment at={end} />],
        ...factsIf(of.replaced_by !== null, [
          'Replaced by',
          <ParameterLink change={{ id: of.replaced_by ?? '' }}>the key that was made in its place</ParameterLink>,
        ]),
        ['Limits', isGatewayKey(of) ? limitsOf(of) : 'those of the referral service'],
        [
          'Made',
          <>
            <Moment at={of.created_at} /> by {nameOf(of.created_by)}
          </>,
        ],
        ['Id', <CopyableValue value={of.id} what="the id of the key" />],
      ]}
    />
  )
}
