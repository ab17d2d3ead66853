// Keys page: one key, with its use, its limits, the rules that apply to it, and a call that it may make.
import { useState } from 'preact/hooks'
import type { Key, UpdateKey } from '../../../keys/key.schema.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, Skeleton } from '../../parts/answer-notices.view.tsx'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { MainAndSide, Note, Row, Stack, Status } from '../../parts/layout.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { HeadedCard } from '../../parts/surfaces.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { OUTCOME_MARKS, outcomeValues, pointOf, type Requests } from '../analytics/chart-data.ts'
import { useLoadedNames, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, useApi } from '../session.ts'
import { findAllowedCall, type AllowedCall } from './allowed-call.ts'
import { tabsFor } from './call-snippet.ts'
import { ChangeKey, RevokeKey, RotateKey } from './key-dialogs.view.tsx'
import {
  callsModels,
  dayOf,
  describeRevoked,
  isGatewayKey,
  KeyStatusBadge,
  limitsOf,
  maskedKey,
  mayChangeKey,
  mayRevokeKey,
  regionOf,
  scopesOf,
  type KeyWithMade,
  type RotatedKey,
} from './key-labels.tsx'
import { KeyTiles, LatestCalls } from './key-use.view.tsx'
import { KeysHead } from './keys-head.view.tsx'
import { loadKeyUse, modelsInRegion, type Ruling } from './load-keys.ts'
import { RulesForKey } from './rules.view.tsx'

const NO_KEY = { not_found: 'This organisation has no key with this id.' }

type Act = 'change' | 'rotate' | 'revoke'

export function KeyView({ id, onRotated }: { id: string; onRotated: (rotated: RotatedKey, old: Key) => void }) {
  const answer = useApi<KeyWithMade>(`/api/keys/${encodeURIComponent(id)}`)
  const nameOf = useLoadedNames()
  const [acting, setActing] = useState<Act | null>(null)
  const [said, setSaid] = useState('')
  const [loaded, again] = answer
  // Closing loads the key again, even after a refusal, because somebody else may have changed it.
  const close = (): void => {
    setActing(null)
    again()
  }
  const done = (message: string): void => {
    close()
    setSaid(message)
  }
  const takeBack = async (body: UpdateKey): Promise<void> => {
    const taken = await callApi('PATCH', `/api/keys/${id}`, { body })
    done(taken.outcome === 'refused' ? taken.problem.message : '')
  }
  const changed = (message: string, undo: UpdateKey | null): void => {
    if (undo === null) return done(message)
    done('')
    showToast(message, () => void takeBack(undo))
  }
  if (loaded.state !== 'answered' || nameOf === null) {
    return (
      <>
        <KeysHead place="Key" lead="">
          {null}
        </KeysHead>
        <Answered answer={answer} lines={30} words={NO_KEY}>
          {() => <Skeleton lines={30} />}
        </Answered>
      </>
    )
  }
  const key = loaded.body
  return (
    <>
      <KeysHead title={key.name} place={key.name} lead={<Lead of={key} nameOf={nameOf} />}>
        <Acts of={key} onAct={setActing} />
      </KeysHead>
      <Status>{said}</Status>
      <KeyParts of={key} onChange={() => setActing('change')} />
      {acting === 'change' && <ChangeKey subject={key} onDone={changed} onClose={close} />}
      {acting === 'rotate' && <RotateKey subject={key} onRotated={onRotated} onClose={close} />}
      {acting === 'revoke' && (
        <RevokeKey subject={key} onDone={(revoked) => done(describeRevoked(revoked))} onClose={close} />
      )}
    </>
  )
}

function Lead({ of, nameOf }: { of: Key; nameOf: NameOf }) {
  const end = of.revoked_at ?? of.expires_at
  const ends = of.revoked_at !== null ? 'Revoked' : of.status === 'expired' ? 'Expired' : 'Expires'
  return (
    <Row as="span" gap={2}>
      <KeyStatusBadge of={of} />
      <code>{maskedKey(of)}</code>
      <span>
        Made by {nameOf(of.created_by)}, {dayOf(of.created_at)}.{' '}
        {end === null ? 'It never expires.' : `${ends} ${dayOf(end)}.`}
      </span>
      <Row as="span" gap={1} size="small" isWhole>
        Id <CopyableValue value={of.id} what="the id of the key" />
      </Row>
    </Row>
  )
}

function Acts({ of, onAct }: { of: Key; onAct: (act: Act) => void }) {
  const changes = mayChangeKey(of)
  const ends = of.status === 'active' && mayRevokeKey(of)
  return (
    <>
      {changes && <Button onClick={() => onAct('change')}>Rename</Button>}
      {changes && of.replaced_by === null && <Button onClick={() => onAct('rotate')}>Replace key</Button>}
      {ends && (
        <Button look="danger" onClick={() => onAct('revoke')}>
          Revoke key
        </Button>
      )}
    </>
  )
}

function KeyParts({ of, onChange }: { of: KeyWithMade; onChange: () => void }) {
  const answer = useAnswer((signal) => loadKeyUse(of.id, signal), [of.id])
  return (
    <Answered answer={answer} lines={30}>
      {(use) => (
        <>
          <KeyTiles of={of} use={use} />
          <MainAndSide>
            <Stack gap={5}>
              {use.days !== null && use.days.totals.requests > 0 && <Outcomes of={use.days} />}
              {use.calls !== null && <LatestCalls of={of} calls={use.calls} />}
              {of.status === 'active' && <CallWithKey of={of} ruling={use} />}
            </Stack>
            <Stack gap={5}>
              <Limits of={of} {...(mayChangeKey(of) && { onChange })} />
              {callsModels(of) && <RulesForKey ruling={use} subject={of} figures={use.figures} />}
            </Stack>
          </MainAndSide>
        </>
      )}
    </Answered>
  )
}

function Outcomes({ of: { data, totals } }: { of: Requests }) {
  const points = data.map((row) => pointOf(row.date, outcomeValues(row)))
  return (
    <BarChart
      title="Calls by outcome"
      total={plural(totals.requests, 'call')}
      pointName="Day"
      marks={OUTCOME_MARKS}
      points={points}
      format={formatNumber}
    />
  )
}

function Limits({ of, onChange }: { of: Key; onChange?: () => void }) {
  const { replaced_by: next, expires_at: end } = of
  const own = limitsOf(of)
  return (
    <HeadedCard
      title="Limits"
      act={
        onChange !== undefined && (
          <LinkButton size="small" onClick={onChange}>
            Change limits
          </LinkButton>
        )
      }
    >
      <Facts
        facts={[
          ['Scope', scopesOf(of)],
          ['Calls', !isGatewayKey(of) ? 'those of the referral service' : own === '' ? 'No limit of its own' : own],
          ['Data region', regionOf(of)],
          ...factsIf(of.evaluation, ['For evaluation', 'Loops are reported, not suppressed']),
          ['Expires', end === null ? 'Never' : <time dateTime={end}>{dayOf(end)}</time>],
          ...factsIf(next !== null, [
            'Replaced by',
            <ParameterLink change={{ id: next ?? '' }}>the key that was made in its place</ParameterLink>,
          ]),
        ]}
      />
    </HeadedCard>
  )
}

/** A call that the policy in force allows this key, as code. The secret is left to a variable. */
function CallWithKey({ of, ruling }: { of: Key; ruling: Ruling }) {
  const { policy } = ruling
  const call = findAllowedCall(policy.document, modelsInRegion(ruling, of), of)
  const tabs = tabsFor(of, call, null)
  if (tabs.length === 0) return null
  return (
    <Stack as="section" gap={2} label="Call it">
      <Row isApart>
        <h2>{callsModels(of) ? 'Call a model with it' : 'List keys with it'}</h2>
        {callsModels(of) && call !== null && <Note>{whyAllowed(call, policy.version)}</Note>}
      </Row>
      <CodeTabs title="Terminal" what="A call with the key" tabs={tabs} />
    </Stack>
  )
}

function whyAllowed({ useCase, isHeld }: AllowedCall, version: number): string {
  const what = useCase === null ? 'the model' : 'the model and the use case'
  const by = version === 0 ? `The tier includes ${what}` : `Policy version ${version} allows this key ${what}`
  return isHeld ? `${by}; a person must approve the call` : by
}
