// What is known of a request that waits, or waited: facts, never its text.
import type { Key } from '../../../keys/key.schema.ts'
import { Moment } from '../../parts/moment.view.tsx'
import { TimeLeft } from '../../parts/time-left.view.tsx'
import { formatEuro } from '../../text/format.ts'
import { KeyName } from '../key-name.view.tsx'
import { contentOf, type Approval } from './approval-words.ts'

export function Facts({ of, keys }: { of: Approval; keys: ReadonlyMap<string, Key> }) {
  const { key_id: keyId, facts, decisions, approvals_required: required, ended_at: endedAt } = of
  const given = decisions.filter(({ decision }) => decision === 'approve').length
  return (
    <>
      <dt>Key</dt>
      <dd>
        <KeyName id={keyId} keys={keys} />
      </dd>
      <dt>Asked</dt>
      <dd>
        <Moment at={of.created_at} />
      </dd>
      {endedAt === null ? (
        <>
          <dt>{of.state === 'pending' ? 'Time left to decide' : 'Time left to use it'}</dt>
          <dd>
            <TimeLeft until={of.expires_at} />
          </dd>
        </>
      ) : (
        <>
          <dt>Ended</dt>
          <dd>
            <Moment at={endedAt} />
          </dd>
        </>
      )}
      <dt>Provider</dt>
      <dd>
        {facts.provider}
        {facts.stream && ', streamed'}
      </dd>
      <dt>Content</dt>
      <dd>{contentOf(of)}</dd>
      <dt>Most it can cost</dt>
      <dd>{formatEuro(facts.most_cost_eur)}</dd>
      {required > 1 && (
        <>
          <dt>Approvals</dt>
          <dd>
            {given} of {required}
          </dd>
        </>
      )}
    </>
  )
}
