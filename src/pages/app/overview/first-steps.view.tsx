// Overview page: the first steps of a new organisation. The list is gone once all are done, after a week of calls, or once a person has
// put it away in this browser.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import { HOUR_MS } from '../../api/kept-keys.ts'
import { Icon } from '../../parts/icon.view.tsx'
import { plus } from '../../parts/icons.ts'
import { Step, Steps } from '../../parts/steps.view.tsx'
import { hasPermission, hasTierFeature, inOrganisation, organisation } from '../session.ts'
import { checkedRecord, PlaygroundLink } from '../playground-link.view.tsx'
import { daysWithCalls, isNew, type OverviewData } from './load-overview.ts'
import { Stack, Row, Soft } from '../../parts/layout.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { LinkButton } from '../../parts/button.view.tsx'

/** @param instead what is there once the steps are done or put away */
export function FirstSteps({ seen, instead = null }: { seen: OverviewData; instead?: ComponentChildren }) {
  const { id } = organisation()
  const [isAway, setAway] = useState(() => localStorage.getItem(awayKey(id)) !== null)
  const steps = stepsFor(seen)
  if (isAway || steps === null) return <>{instead}</>
  // The page explains only the next step once it has figures.
  const next = steps.find(({ isDone }) => !isDone)
  const putAway = (): void => {
    localStorage.setItem(awayKey(id), '')
    setAway(true)
  }
  return (
    <Stack as="section" gap={2} label="First steps">
      <Steps>
        {steps.map((step, at) => (
          <Step key={step.title} title={step.title} number={at + 1} isDone={step.isDone}>
            {(!hasCalls(seen) || step === next) && !step.isDone && <Soft as="p">{step.text}</Soft>}
            {!step.isDone && step.action}
          </Step>
        ))}
      </Steps>
      <p>
        <LinkButton size="small" onClick={putAway}>
          Hide first steps
        </LinkButton>
      </p>
    </Stack>
  )
}

/** Returns “No calls yet. Three steps to your first signed record.” Null if there are calls, or no steps are shown. */
export function newLead(seen: OverviewData): string | null {
  const steps = hasCalls(seen) || localStorage.getItem(awayKey(organisation().id)) !== null ? null : stepsFor(seen)
  return steps === null ? null : 'No calls yet. Three steps to your first signed record.'
}

/** False in a new organisation. */
export const hasCalls = ({ figures, calls }: OverviewData): boolean =>
  (calls?.data.length ?? 0) > 0 ||
  (figures?.requests.totals.requests ?? 0) > 0 ||
  (figures?.byKey.previous_totals.requests ?? 0) > 0

const awayKey = (id: string): string => `first-steps-away:${id}`

type FirstStep = { title: string; text: string; isDone: boolean; action: ComponentChildren }

/** False for the key that the playground makes for a call. */
const isLasting = ({ created_at: made, expires_at: end }: Key): boolean =>
  end === null || Date.parse(end) - Date.parse(made) > HOUR_MS

/** Returns the steps with their state; null if none is needed, or the role does not include them. */
function stepsFor(seen: OverviewData): readonly FirstStep[] | null {
  if (!hasPermission('keys:own') || !isNew(seen)) return null
  const { keys, calls, people } = seen
  const days = daysWithCalls(seen)
  const hasKey = (keys?.data ?? []).some(isLasting)
  const [call] = calls?.data ?? []
  const isCalled = call !== undefined || days > 0
  const isChecked = days > 1 || localStorage.getItem(checkedRecord(organisation().id)) !== null
  const steps: FirstStep[] = [
    {
      title: hasKey ? 'Key created' : 'Create a key',
      text: 'Programs call models with it. The code that comes with it runs as it is.',
      isDone: hasKey,
      action: (
        <Row as="p">
          <ButtonLink look="first" href={inOrganisation('/app/keys?create=key')}>
            <Icon of={plus} />
            Create a key
          </ButtonLink>
        </Row>
      ),
    },
    {
      title: isCalled ? 'First call sent' : 'Send a call',
      text: 'With the code that comes with the key, or from the playground.',
      isDone: isCalled,
      action: (
        <Row as="p">
          {hasKey && <PlaygroundLink isFirst />}
          <a href={inOrganisation('/app/keys')}>API keys</a>
        </Row>
      ),
    },
    {
      title: isChecked ? 'Record checked' : 'Check its record',
      text: 'In your browser: its signature, and that nothing in it was changed.',
      isDone: isChecked,
      action:
        call === undefined ? null : (
          <Row as="p">
            <ButtonLink
              look={hasKey ? 'first' : undefined}
              href={inOrganisation(`/app/calls?id=${call.id}&leaf=${call.index}`)}
            >
              Open the record
            </ButtonLink>
          </Row>
        ),
    },
    ...(hasPermission('members:manage') && hasTierFeature('human_approval')
      ? [
          {
            title: 'Invite a second person',
            text: 'Nobody approves a request of their own key.',
            isDone: (people ?? 0) > 1,
            action: (
              <p>
                <a href={inOrganisation('/app/members#invite')}>Invite a person</a>
              </p>
            ),
          },
        ]
      : []),
  ]
  return steps.every(({ isDone }) => isDone) ? null : steps
}
