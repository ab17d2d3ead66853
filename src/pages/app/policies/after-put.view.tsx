// The bar after a policy was put in force: warnings about it, what was withdrawn and blocked since, and the way back.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { ChangedPolicy, Policy } from '../../../management/policies/policies.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, hasTierFeature, inOrganisation } from '../session.ts'
import { Row, Stack, Soft } from '../../parts/layout.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'

/** What was put in force, and what was in force before. */
export type Put = { policy: ChangedPolicy; before: Policy; withdrawn: number }

type Props = { put: Put; keys: Keys; onKeep: () => void; onPutBack: () => void }

export function AfterPut({ put: { policy, before, withdrawn }, keys, onKeep, onPutBack }: Props) {
  // It takes the focus, since the dialog and its button are gone.
  const bar = useRef<HTMLElement>(null)
  useLayoutEffect(() => bar.current?.focus(), [policy.version])
  return (
    <section ref={bar} class="card after-put" role="status" tabIndex={-1}>
      <Row isApart>
        <Stack gap={2}>
          <p>
            <strong>Version {policy.version} is in force.</strong>
          </p>
          <Soft as="p">
            {withdrawn > 0 && `${plural(withdrawn, 'request')} ${withdrawn === 1 ? 'was' : 'were'} withdrawn. `}
            <BlockedSince policy={policy} keys={keys} /> Going back makes version {policy.version + 1}, with the rules
            of before.
          </Soft>
          {policy.warnings.map(({ message }) => (
            <Remark tone="warn" key={message}>
              {message}
            </Remark>
          ))}
        </Stack>
        <Row as="span">
          <button type="button" class="button quiet" onClick={onKeep}>
            Keep it
          </button>
          <Button onClick={onPutBack}>
            {before.version === 0 ? 'Go back to no policy' : `Put version ${before.version} back`}
          </Button>
        </Row>
      </Row>
    </section>
  )
}

/** Tells the calls that were blocked since, where they may be read. */
function BlockedSince({ policy, keys }: { policy: Policy; keys: Keys }) {
  const isFiltered = hasPermission('audit:read') && hasTierFeature('audit_trail')
  const [loaded, again] = useAnswer<List<Call> | null>(
    async (signal) =>
      hasPermission('usage:read')
        ? callApi('GET', '/api/calls', { query: { ...(isFiltered && { outcome: 'blocked' }), limit: 50 }, signal })
        : answered(null),
    [policy.version],
  )
  if (loaded.state !== 'answered' || loaded.body === null) return null
  const blocked = loaded.body.data.filter(
    ({ outcome, created_at: at }) => outcome === 'blocked' && at >= (policy.created_at ?? ''),
  )
  const byKey = [...Map.groupBy(blocked, ({ key_id: id }) => id)].map(
    ([id, calls]) => `${(id !== null && keys.get(id)?.name) || 'a key'} ${formatNumber(calls.length)}`,
  )
  return (
    <>
      {blocked.length === 0 ? (
        'No call was blocked since. '
      ) : (
        <>
          {plural(blocked.length, 'call')} {blocked.length === 1 ? 'was' : 'were'} blocked since:{' '}
          {isFiltered ? (
            <a href={inOrganisation('/app/calls?outcome=blocked')}>{byKey.join(', ')}</a>
          ) : (
            byKey.join(', ')
          )}
          .{' '}
        </>
      )}
      <LinkButton onClick={again}>Look again</LinkButton>.
    </>
  )
}
