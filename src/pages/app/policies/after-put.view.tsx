// The bar after a policy was put in force: warnings about it, what was withdrawn and blocked since, and the way back.
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { ChangedPolicy, Policy } from '../../../management/policies/policies.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import { findWords } from '../../../policies/rules/words.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import type { Keys } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation, seesAllCalls, useApiIf } from '../session.ts'
import { Row } from '../../parts/layout.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { DoneNotice } from '../../parts/answer-notices.view.tsx'
import { wordsOfChanges } from './rule-words.ts'

/** What was put in force, and what was in force before. */
export type Put = { policy: ChangedPolicy; before: Policy; withdrawn: number }

type Props = { put: Put; keys: Keys; onKeep: () => void; onPutBack: () => void }

export function AfterPut({ put: { policy, before, withdrawn }, keys, onKeep, onPutBack }: Props) {
  const changes = wordsOfChanges(findPolicyChanges(before.document, policy.document))
  // It takes the focus, since the dialog and its button are gone.
  return (
    <DoneNotice key={policy.version}>
      <p>Version {policy.version} is in force.</p>
      <p>
        {withdrawn > 0 && `${plural(withdrawn, 'request')} ${withdrawn === 1 ? 'was' : 'were'} withdrawn. `}
        <BlockedSince policy={policy} keys={keys} /> Going back makes version {policy.version + 1}, with the rules of
        before.
      </p>
      {policy.warnings.map(({ code, message, param }) => {
        const change = code.startsWith('rule_')
          ? changes.find(({ title }) => title === findWords(param)?.name)
          : undefined
        return (
          <Remark tone="warn" key={message}>
            {change === undefined ? (
              message
            ) : (
              <>
                <b>{change.title}</b>
                {code === 'rule_loosened' && ' restricts less'}: {change.sentences.join('. ')}.
              </>
            )}
          </Remark>
        )
      })}
      <Row>
        <Button onClick={onPutBack}>
          {before.version === 0 ? 'Go back to no policy' : `Put version ${before.version} back`}
        </Button>
        <Button look="quiet" onClick={onKeep}>
          Keep it
        </Button>
      </Row>
    </DoneNotice>
  )
}

/** Tells the calls that were blocked since, where they may be read. */
function BlockedSince({ policy, keys }: { policy: Policy; keys: Keys }) {
  const isFiltered = seesAllCalls()
  const query = { ...(isFiltered && { outcome: 'blocked' }), limit: 50 }
  const [loaded, again] = useApiIf<List<Call>>(hasPermission('usage:read'), '/api/calls', query, [policy.version])
  if (loaded.state !== 'answered' || loaded.body === null) return null
  const blocked = loaded.body.data.filter(
    ({ outcome, created_at: at }) => outcome === 'blocked' && at >= (policy.created_at ?? ''),
  )
  const byKey = [...Map.groupBy(blocked, ({ key_id: id }) => id)]
    .map(([id, calls]) => `${(id !== null && keys.get(id)?.name) || 'a key'} ${formatNumber(calls.length)}`)
    .join(', ')
  return (
    <>
      {blocked.length === 0 ? (
        'No call was blocked since. '
      ) : (
        <>
          {plural(blocked.length, 'call')} {blocked.length === 1 ? 'was' : 'were'} blocked since:{' '}
          {isFiltered ? <a href={inOrganisation('/app/calls?outcome=blocked')}>{byKey}</a> : byKey}.{' '}
        </>
      )}
      <LinkButton onClick={again}>Look again</LinkButton>.
    </>
  )
}
